"""The benchmark of paper 002, section 5: summaries of many streams over skew, streams and designs."""

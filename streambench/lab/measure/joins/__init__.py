"""The benchmark of paper 001, section VI: comparisons, tuples, balance and latency of joins."""

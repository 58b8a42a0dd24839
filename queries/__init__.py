"""The benchmark's queries, a folder each, and what several share in common (source folder: queries/)."""

if __name__ != "streambench.queries":
    raise ImportError("import streambench.queries, not queries")

"""streambench.queries (source folder: queries/)."""

if __name__ != "streambench.queries":
    raise ImportError("import streambench.queries, not queries")

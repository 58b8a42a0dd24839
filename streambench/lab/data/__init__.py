"""The data directories of the benchmark, and their streams."""

"""Sources: columns in memory, or batches. For users: see ``streambench.pyx.tuples.table_source``."""

from streambench.pyx.tuples.table_source import NOT_YET, BatchSource, TableSource, most_laps

__all__ = ["NOT_YET", "BatchSource", "TableSource", "most_laps"]

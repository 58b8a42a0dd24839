"""The sink that keeps or digests the output sequence. For users: see ``streambench.pyx.tuples.table_sink``."""

from streambench.pyx.tuples.table_sink import TableSink, digest_rows

__all__ = ["TableSink", "digest_rows"]

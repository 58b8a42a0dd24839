"""A join of streams as a source. For users: see ``streambench.pyx.join.stream_join_source``."""

from streambench.pyx.join.stream_join_source import StreamJoinSource

__all__ = ["StreamJoinSource"]

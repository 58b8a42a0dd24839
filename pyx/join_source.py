"""A join of arrays as a source. For users: see ``streambench.pyx.join.join_source``."""

from streambench.pyx.join.join_source import JoinSource

__all__ = ["JoinSource"]

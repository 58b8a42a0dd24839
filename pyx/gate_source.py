"""A source over several ordered streams. For users: see ``streambench.pyx.join.gate_source``."""

from streambench.pyx.join.gate_source import GateSource, LateTuplesWarning, StreamError

__all__ = ["GateSource", "LateTuplesWarning", "StreamError"]

"""A source over several ordered streams. For users: see ``streambench.pyx.join.gate_source``."""

from streambench.pyx.join.gate_source import GateSource, LateTuplesWarning

__all__ = ["GateSource", "LateTuplesWarning"]

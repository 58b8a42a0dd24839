"""A ScaleGate to feed and read by hand. For users: see ``streambench.pyx.join.gate``."""

from streambench.pyx.join.gate import Gate

__all__ = ["Gate"]

"""A ScaleGate to feed and read by hand. For users: see ``streambench.pyx.join.manual_scale_gate``."""

from streambench.pyx.join.manual_scale_gate import ManualScaleGate

__all__ = ["ManualScaleGate"]

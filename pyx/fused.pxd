"""Operators as one loop. For users: see ``streambench.pyx.tuples.fused``."""

from streambench.pyx.tuples.fused cimport Fused

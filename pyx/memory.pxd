"""Vectors that grow in a worker. For users: see ``streambench.pyx.machine.memory``."""

from streambench.pyx.machine.memory cimport append, lengthen

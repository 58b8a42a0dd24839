"""A unit of consecutive tuples, for sources. For users: see ``streambench.pyx.tuples.unit``."""

from streambench.pyx.tuples.unit cimport Unit

"""The operators' base classes. For users: see ``streambench.pyx.tuples.operator``."""

from streambench.pyx.tuples.operator import Operator, PartitionedStateful, Sink, Source, Stateful, Stateless

__all__ = ["Operator", "PartitionedStateful", "Sink", "Source", "Stateful", "Stateless"]

"""The operators' base classes. For users: see ``streambench.pyx.tuples.operator``."""

from streambench.pyx.tuples.operator cimport (
    ANY_PARTITION, Operator, PartitionedStateful, Sink, Source, Stateful, Stateless,
)

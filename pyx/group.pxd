"""Processing the groups of a unit: what every partitioning scheme does once it has decided who does it."""

from libc.stdint cimport int32_t
from streambench.pyx.operator cimport PartitionedStateful
from streambench.pyx.unit cimport Group, Unit

cdef void process_group(PartitionedStateful operator, Group* group) noexcept nogil
cdef void gather_groups(PartitionedStateful operator, int32_t place, Unit* unit) noexcept nogil

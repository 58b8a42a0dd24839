"""A unit by partition: scattered into groups, which are processed one by one, and gathered. Who
does which is the engine's."""

from libc.stdint cimport int32_t
from streambench.pyx.partition.partitioning cimport Partitioning
from streambench.pyx.tuples.operator cimport PartitionedStateful
from streambench.pyx.tuples.unit cimport Group, Unit

cdef void scatter(Partitioning partitioning, PartitionedStateful operator, int32_t place, Unit* unit,
                  bint empty_too) noexcept nogil
cdef void process_group(PartitionedStateful operator, Group* group) noexcept nogil
cdef void gather(PartitionedStateful operator, int32_t place, Unit* unit) noexcept nogil
cdef void apply_by_group(Partitioning partitioning, PartitionedStateful operator, int32_t place,
                         Unit* unit) noexcept nogil
cdef void apply_rest_by_group(PartitionedStateful operator, int32_t place, Unit* unit) noexcept nogil

"""What entities do with records: boxes, cells, and the ends of deterministic combinators."""

from libc.stdint cimport int64_t
from streambench.pyx.front.entities cimport Entity, Partial
from streambench.pyx.front.path cimport Path
from streambench.pyx.front.property_graph cimport Node
from streambench.pyx.front.records cimport Pool, Record
from streambench.pyx.front.worker cimport Worker

cdef class State(Path):
    cdef void take(self, Worker* worker, Entity* entity, Record* record) noexcept nogil
    cdef void join(self, Worker* worker, Entity* entity, Record* record) noexcept nogil
    cdef bint next_stage(self, Pool* pool, Node* node, Entity* entity, Record* record, int64_t* stage) noexcept nogil
    cdef void release(self, Worker* worker, Record* record) noexcept nogil
    cdef Record* merged(self, Worker* worker, Node* node, Partial* partial, Record* last) noexcept nogil
    cdef void number(self, Worker* worker, Entity* entity, Record* record) noexcept nogil
    cdef void order(self, Worker* worker, Entity* entity, Record* record) noexcept nogil

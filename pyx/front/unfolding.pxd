"""A network as it unfolds, and how records are sent in it."""

from libc.stdint cimport int64_t
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.front.entities cimport Entity, Frame, Replicas
from streambench.pyx.front.property_graph cimport Node, PropertyGraph
from streambench.pyx.front.records cimport Pool, Record, Sequence
from streambench.pyx.front.worker cimport Shared, Worker

cdef class Unfolding(Crew):
    cdef PropertyGraph graph
    cdef Worker* each
    cdef Shared* shared
    cdef Pool* pools
    cdef Frame* root
    cdef void equip(self, Worker* worker, Pool* pool, int64_t most_free) noexcept nogil
    cdef void describe(self, Pool* pool) noexcept nogil
    cdef void go(self, Worker* worker, int64_t node, Frame* frame, Record* record) noexcept nogil
    cdef bint send(self, Worker* worker, Entity* entity, Record* record) noexcept nogil
    cdef void schedule(self, Worker* worker, Entity* entity) noexcept nogil
    cdef void drop(self, Worker* worker, Record* record) noexcept nogil
    cdef void leave_sequence(self, Worker* worker, Sequence* sequence) noexcept nogil
    cdef Entity* entity_of(self, Worker* worker, int64_t at, Frame* frame) noexcept nogil
    cdef Frame* unfold(self, Worker* worker, Node* node, Frame* frame, Frame* home) noexcept nogil
    cdef Frame* replica_of(self, Worker* worker, Node* node, Frame* frame, int64_t value) noexcept nogil
    cdef void sweep(self, Worker* worker, Node* node, Replicas* replicas) noexcept nogil
    cdef void count_living(self) noexcept nogil
    cdef void let_go(self, Record* record)
    cdef void forget(self, Sequence* sequence)
    cdef int count_waiting(self)
    cdef void clear(self)
    cdef void empty(self, Entity* entity)
    cdef void bury(self, Worker* worker)

"""What nobody needs any more is given back while a network runs."""

from libc.stdint cimport int64_t
from streambench.pyx.front.entities cimport Entity, Frame, Replicas
from streambench.pyx.front.property_graph cimport Node
from streambench.pyx.front.unfolding cimport Unfolding
from streambench.pyx.front.worker cimport Worker

cdef class Garbage(Unfolding):
    cdef bint collects
    cdef void leave(self, Worker* worker) noexcept nogil
    cdef void come_back(self, Worker* worker) noexcept nogil
    cdef void pass_by(self, Worker* worker) noexcept nogil
    cdef bint end_cell(self, Worker* worker, Entity* entity) noexcept nogil
    cdef Frame* past_spent(self, Worker* worker, Node* node, Frame* frame, Frame* after) noexcept nogil
    cdef Frame* current(self, Worker* worker, Frame* frame) noexcept nogil
    cdef bint close(self, Worker* worker, Replicas* replicas, Frame* frame) noexcept nogil
    cdef bint close_slot(self, Worker* worker, Frame* frame, int64_t slot) noexcept nogil
    cdef void open_slot(self, Worker* worker, Frame* frame, int64_t slot) noexcept nogil
    cdef bint is_as_new(self, Entity* entity) noexcept nogil
    cdef void let_go_later(self, Worker* worker, Entity* entity) noexcept nogil
    cdef void retire(self, Worker* worker, void* thing) noexcept nogil
    cdef void free_some(self, Worker* worker) noexcept nogil

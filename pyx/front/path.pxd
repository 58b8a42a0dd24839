"""The way of a record from one entity to the next."""

from libc.stdint cimport int64_t
from streambench.pyx.front.border cimport Border
from streambench.pyx.front.entities cimport Frame
from streambench.pyx.front.property_graph cimport Node, Output
from streambench.pyx.front.records cimport Record
from streambench.pyx.front.worker cimport Worker

cdef class Path(Border):
    cdef bint node_by_node              # what comes of one node is `moves`
    cdef void walk(self, Worker* worker) noexcept nogil
    cdef void follow(self, Worker* worker, int64_t at, Frame* frame, Record* record) noexcept nogil
    cdef Frame* anew(self, Worker* worker, Frame* frame) noexcept nogil
    cdef bint filter(self, Worker* worker, Node* node, Frame* frame, Record** record) noexcept nogil
    cdef bint fill(self, Worker* worker, Node* node, Output* output, Record* record) noexcept nogil

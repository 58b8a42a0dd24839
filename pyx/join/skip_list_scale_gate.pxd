"""The paper's ScaleGate: a skip list that all sources insert into."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from streambench.pyx.join.scale_gate cimport ScaleGate
from streambench.pyx.machine.padded cimport PaddedCounter

cdef extern from "scale_gate_nodes.h":
    enum:
        LEVELS "streambench::kGateLevels"

    cppclass AtomicNode "std::atomic<streambench::ScaleGateNode*>" nogil:
        Node* load()
        void store(Node*)

    cppclass Node "streambench::ScaleGateNode" nogil:
        AtomicNode next[4]
        int64_t ts
        int64_t sequence
        Node* newer
        int32_t source
        bint mark
        char* values

    cppclass Inserter "streambench::ScaleGateInserter" nogil:
        Node* update[4]
        Node* oldest
        Node* newest
        Node* free
        uint64_t random
        int64_t nodes
        int64_t since_reclaimed
        AtomicNode written

    Inserter* new_inserters "streambench::new_gate_inserters"(int64_t n) except +
    void delete_inserters "streambench::delete_gate_inserters"(Inserter* all) noexcept nogil
    Node* node_in "streambench::gate_node_in"(void* memory) noexcept nogil
    bint link_after "streambench::link_after"(Node* node, int level, Node* next, Node* added) noexcept nogil

cdef class SkipListScaleGate(ScaleGate):
    cdef Node* sentinel                 # before all
    cdef Node** heads                   # by reader: the last node it has passed
    cdef Inserter* inserters            # by source
    cdef PaddedCounter* begins          # by reader, then by source: it touches no node of an earlier time any more
    cdef int64_t* counted               # [reader * sources + source]: tuples passed
    cdef Node* first_node(self, int32_t size) except NULL
    cdef Node* new_node(self, int32_t source, int64_t ts, bint mark) noexcept nogil
    cdef void insert(self, Node* node) noexcept nogil
    cdef void reclaim(self, int32_t source) noexcept nogil

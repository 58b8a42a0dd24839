"""The paper's ScaleGate: a skip list that all sources insert into."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from streambench.pyx.join.scale_gate cimport ScaleGate
from streambench.pyx.machine.padded cimport PaddedCounter

cdef extern from *:
    """
    #include <atomic>
    #include <cstdint>
    #include <cstdlib>
    #include <new>
    namespace streambench {
    constexpr int kGateLevels = 4;
    // A tuple, or a mark: something a source says that readers do not get. Atomics in a struct, which Cython cannot make.
    struct GateNode {
        std::atomic<GateNode*> next[kGateLevels];   // nullptr is the paper's tail
        int64_t ts;
        int64_t sequence;
        GateNode* newer;                // of the same source, or the next free one: its source's own
        int32_t source;
        bool mark;
        char values[];
    };
    // What only the source touches, but for `written`.
    struct alignas(128) GateInserter {
        GateNode* update[kGateLevels];  // where the search for a place begins: nodes before the last that was inserted
        GateNode* oldest;               // its nodes that are not freed, in order
        GateNode* newest;
        GateNode* free = nullptr;
        uint64_t random;
        int64_t nodes = 0;              // allocated
        int64_t since_reclaimed = 0;    // inserted
        alignas(128) std::atomic<GateNode*> written;
    };
    inline GateInserter* new_gate_inserters(int64_t n) { return new GateInserter[n]; }
    inline void delete_gate_inserters(GateInserter* all) { delete[] all; }
    inline GateNode* gate_node_in(void* memory) { return new (memory) GateNode; }
    // Algorithm 2, line 66.
    inline bool link_after(GateNode* node, int level, GateNode* next, GateNode* added) {
        return node->next[level].compare_exchange_strong(next, added);
    }
    }
    """
    enum:
        LEVELS "streambench::kGateLevels"

    cppclass AtomicNode "std::atomic<streambench::GateNode*>" nogil:
        Node* load()
        void store(Node*)

    cppclass Node "streambench::GateNode" nogil:
        AtomicNode next[4]
        int64_t ts
        int64_t sequence
        Node* newer
        int32_t source
        bint mark
        char* values

    cppclass Inserter "streambench::GateInserter" nogil:
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

cdef class SkipListGate(ScaleGate):
    cdef Node* sentinel                 # before all
    cdef Node** heads                   # by reader: the last node it has passed
    cdef Inserter* inserters            # by source
    cdef PaddedCounter* begins          # by reader, then by source: it touches no node of an earlier time any more
    cdef int64_t* counted               # [reader * sources + source]: tuples passed
    cdef Node* first_node(self, int32_t size) except NULL
    cdef Node* new_node(self, int32_t source, int64_t ts, bint mark) noexcept nogil
    cdef void insert(self, Node* node) noexcept nogil
    cdef void reclaim(self, int32_t source) noexcept nogil

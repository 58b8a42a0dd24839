"""The search structure of paper 002 (section 4.3.1): a chained hash table; look-ups take no lock,
insertions that of their chain.

A chain's links always lead to elements or end (Invariant 4.3). An element that is taken out of a chain keeps its link,
and may be put into another one while somebody is looking at it. Who looks may then miss an item; so who inserts looks
again under the lock, which keeps keys unique (Invariant 4.5). Nobody finds a wrong one: see `element`.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.atomic cimport atomic, memory_order_acquire
from streambench.pyx.topk.element cimport DELETED, Element
from streambench.pyx.topk.number_pool cimport NumberPool, OwnNumbers

cdef extern from *:
    """
    #include <atomic>
    #include <cstdint>
    namespace streambench {
    struct Chain { std::atomic<uint32_t> lock, first; };
    }
    """
    cppclass Chain "streambench::Chain" nogil:
        atomic[uint32_t] lock           # for those who change its links
        atomic[uint32_t] first

cdef struct SearchStructure:
    Element* elements                   # from number 1 on
    NumberPool* spare                   # those that are in no chain
    Chain* chains
    int64_t n                           # of chains
    int shift                           # of a hash

cdef int begin_search_structure(
    SearchStructure* table, int64_t counters, int64_t in_flight, int64_t threads, int64_t usual
) except -1
cdef void end_search_structure(SearchStructure* table) noexcept nogil
cdef uint32_t spare(SearchStructure* table, OwnNumbers* own) noexcept nogil
cdef uint32_t insert(
    SearchStructure* table, OwnNumbers* own, uint32_t number, uint64_t item, uint64_t* pending
) noexcept nogil
cdef void take_out(SearchStructure* table, OwnNumbers* own, uint32_t deleted) noexcept nogil

cdef inline Chain* chain_of(SearchStructure* table, uint64_t item) noexcept nogil:
    item ^= item >> 32
    return &table.chains[(item * <uint64_t>0xD6E8FEB86659FD93) >> table.shift]

cdef inline uint32_t find(SearchStructure* table, uint64_t item, uint64_t* pending) noexcept nogil:
    """The item's element, and its word; 0 where it is not there. What is deleted is not (Invariant 4.4)."""
    cdef Chain* chain = chain_of(table, item)
    cdef uint32_t at
    cdef Element* element
    at = chain.first.load(memory_order_acquire)
    while at:
        element = &table.elements[at]
        # The word before the item: if the element gets another item in between, the version is not this one any more.
        pending[0] = element.pending.load(memory_order_acquire)
        if element.item.load(memory_order_acquire) == item and not pending[0] & DELETED:
            return at
        at = element.chain.load(memory_order_acquire)
    return 0

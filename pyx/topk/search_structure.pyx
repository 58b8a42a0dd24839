"""How items get into the search structure of paper 002, and deleted ones out of it."""

from libcpp.atomic cimport memory_order_relaxed, memory_order_release
from streambench.pyx.topk.number_pool cimport BATCH, delete_number_pool, give, new_number_pool, take
from streambench.pyx.machine.huge_pages cimport reserve_pages, unmap_pages
from streambench.pyx.machine.threads cimport pause_briefly, yield_core
from streambench.pyx.machine.yield_points cimport yield_point

cdef enum:
    MOST = 0x7FFFFFFF                   # numbers: 31 bits
    PATIENCE = 64                       # looks at a lock before the core is left to another


cdef int begin_search_structure(
    SearchStructure* table, int64_t counters, int64_t in_flight, int64_t threads, int64_t usual
) except -1:
    """For so many items that are monitored, and so many that are to be. ``usual``: that are usually in
    chains, which more make longer.

    ``table`` is all zeros, and is to be ended, come what may. Raises ValueError where 31 bits cannot number them,
    MemoryError where the system refuses the addresses.
    """
    # As many again may be deleted, in others' chains or in other threads' hands.
    cdef int64_t n = 2 * (counters + in_flight) + threads * (2 * BATCH + 1)
    if n >= MOST:
        raise ValueError(
            f"so many counters take {n} elements, and this design has numbers for {MOST - 1}: choose a greater epsilon"
        )
    table.shift, table.n = 63, 2
    while table.n < usual:
        table.n *= 2
        table.shift -= 1
    table.spare = new_number_pool(<uint32_t>n)
    table.elements = <Element*>reserve_pages(sizeof(Element) * (<size_t>n + 1))
    table.chains = <Chain*>reserve_pages(sizeof(Chain) * <size_t>table.n)
    return 0


cdef void end_search_structure(SearchStructure* table) noexcept nogil:
    if table.elements is not NULL:
        unmap_pages(table.elements, sizeof(Element) * (<size_t>table.spare.n + 1))
    if table.chains is not NULL:
        unmap_pages(table.chains, sizeof(Chain) * <size_t>table.n)
    if table.spare is not NULL:
        delete_number_pool(table.spare)


cdef void lock(Chain* chain) noexcept nogil:
    cdef uint32_t free = 0
    cdef int looks = 0
    while not chain.lock.compare_exchange_weak(free, 1, memory_order_acquire, memory_order_relaxed):
        free = 0
        looks += 1
        if looks < PATIENCE:
            pause_briefly()
        else:
            yield_core()


cdef inline void unlock(Chain* chain) noexcept nogil:
    chain.lock.store(0, memory_order_release)


cdef void clean(SearchStructure* table, OwnNumbers* own, Chain* chain) noexcept nogil:
    """Under the lock: take all that is deleted out of the chain, whose links always lead to
    elements (Invariant 4.3)."""
    cdef atomic[uint32_t]* link = &chain.first
    cdef uint32_t at = link.load(memory_order_relaxed), after
    while at:
        after = table.elements[at].chain.load(memory_order_relaxed)
        if table.elements[at].pending.load(memory_order_acquire) & DELETED:
            link.store(after, memory_order_release)         # its own link stays: who looks at it may go on
            give(table.spare, own, at)
        else:
            link = &table.elements[at].chain
        at = after


cdef void take_out(SearchStructure* table, OwnNumbers* own, uint32_t deleted) noexcept nogil:
    """Take a deleted element out of its chain if nobody holds the lock; else it stays there until
    the next insertion (lazily)."""
    cdef Chain* chain = chain_of(table, table.elements[deleted].item.load(memory_order_relaxed))
    cdef uint32_t free = 0
    if chain.lock.load(memory_order_relaxed) == 0 and chain.lock.compare_exchange_strong(
        free, 1, memory_order_acquire, memory_order_relaxed
    ):
        clean(table, own, chain)
        unlock(chain)


cdef uint32_t spare(SearchStructure* table, OwnNumbers* own) noexcept nogil:
    """An element that is in no chain. Waits where all are in use: those who put elements into the
    monitored set free others."""
    cdef uint32_t number = take(table.spare, own)
    cdef int looks = 0
    while number == 0:
        looks += 1
        if looks % PATIENCE == 0:
            clean_all(table, own)       # some may be deleted, but still in a chain
        else:
            yield_core()
        number = take(table.spare, own)
    return number


cdef void clean_all(SearchStructure* table, OwnNumbers* own) noexcept nogil:
    cdef int64_t k
    for k in range(table.n):
        if table.chains[k].first.load(memory_order_relaxed):
            lock(&table.chains[k])
            clean(table, own, &table.chains[k])
            unlock(&table.chains[k])


cdef uint32_t insert(
    SearchStructure* table, OwnNumbers* own, uint32_t number, uint64_t item, uint64_t* pending
) noexcept nogil:
    """Put the item in as the ``spare`` element of this number, owned by the caller (word 0); or find
    the element that another put in, and its word (Invariant 4.5): then the number is spare again."""
    cdef Chain* chain = chain_of(table, item)
    cdef uint32_t present
    cdef Element* element = &table.elements[number]
    yield_point()
    lock(chain)
    present = find(table, item, pending)
    if present:
        unlock(chain)
        give(table.spare, own, number)
        return present
    clean(table, own, chain)
    # Release, each: who reads this sees as well that the element had been deleted before.
    element.item.store(item, memory_order_release)
    element.error.store(0, memory_order_release)
    element.count.store(0, memory_order_release)
    element.bucket = NULL
    element.chain.store(chain.first.load(memory_order_relaxed), memory_order_release)
    # Another version, one request: the caller's.
    element.pending.store(((element.pending.load(memory_order_relaxed) >> 32) + 1) << 32 | 1, memory_order_release)
    yield_point()
    chain.first.store(number, memory_order_release)
    unlock(chain)
    pending[0] = 0
    return number

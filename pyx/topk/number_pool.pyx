"""How batches of numbers get from those who free them to those who need some: a stack with a
compare-and-swap at its top."""

from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from streambench.pyx.machine.huge_pages cimport reserve_pages, unmap_pages
from streambench.pyx.machine.yield_points cimport yield_point


cdef NumberPool* new_number_pool(uint32_t n) except NULL:
    """For numbers up to ``n``. Raises MemoryError."""
    cdef NumberPool* pool = new NumberPool()
    pool.n = n
    try:
        pool.links = <NumberLinks*>reserve_pages(sizeof(NumberLinks) * (<size_t>n + 1))
    except MemoryError:
        delete_number_pool(pool)
        raise
    return pool


cdef void delete_number_pool(NumberPool* pool) noexcept nogil:
    if pool.links is not NULL:
        unmap_pages(pool.links, sizeof(NumberLinks) * (<size_t>pool.n + 1))
    del pool


cdef bint refill(NumberPool* pool, OwnNumbers* own) noexcept nogil:
    cdef uint64_t top, first
    cdef uint32_t number
    top = pool.stack.top.load(memory_order_acquire)
    while <uint32_t>top:
        number = <uint32_t>top
        yield_point()
        # The number above tells a top that was there before from one that is there again. Pairs with `spill`.
        if pool.stack.top.compare_exchange_weak(
            top, (((top >> 32) + 1) << 32) | pool.links[number].below.load(memory_order_relaxed), memory_order_acquire,
            memory_order_acquire
        ):
            while number:
                own.numbers[own.n] = number
                own.n += 1
                number = pool.links[number].rest.load(memory_order_relaxed)
            return True
    if pool.unused.first.load(memory_order_relaxed) > pool.n:
        return False
    first = pool.unused.first.fetch_add(BATCH, memory_order_relaxed)
    while own.n < BATCH and first + own.n <= pool.n:
        own.numbers[own.n] = <uint32_t>first + own.n
        own.n += 1
    return own.n > 0


cdef void spill(NumberPool* pool, OwnNumbers* own) noexcept nogil:
    """Hand half of one's numbers on."""
    cdef uint64_t top
    cdef uint32_t number = 0
    cdef int k
    top = pool.stack.top.load(memory_order_relaxed)
    for k in range(BATCH):
        own.n -= 1
        pool.links[own.numbers[own.n]].rest.store(number, memory_order_relaxed)
        number = own.numbers[own.n]
    while True:
        pool.links[number].below.store(<uint32_t>top, memory_order_relaxed)
        yield_point()
        # Release: the links, and all that was done with what the numbers stand for.
        if pool.stack.top.compare_exchange_weak(
            top, (((top >> 32) + 1) << 32) | number, memory_order_acq_rel, memory_order_relaxed
        ):
            return


cdef uint32_t ever_taken(NumberPool* pool) noexcept nogil:
    """No number above this one has ever been taken."""
    return <uint32_t>(min(pool.unused.first.load(memory_order_acquire), <uint64_t>pool.n + 1) - 1)

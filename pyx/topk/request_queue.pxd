"""The queue of a bucket's delegated requests (paper 002, section 4.3.2): a stack of elements, whose
top the bucket's word has."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from streambench.pyx.topk.element cimport Element
from streambench.pyx.topk.frequency_bucket cimport OWNED, TOP, Bucket, Requests, is_marked
from streambench.pyx.machine.yield_points cimport yield_point

cdef enum Left:
    REFUSED                         # it is marked, or another incarnation
    QUEUED                          # somebody will see to it
    UNATTENDED                      # in the queue of a bucket that nobody owns: the caller has to see to it

cdef inline void prepend(Requests* requests, Element* elements, Requests more) noexcept nogil:
    """Put some before the others; there is one at least."""
    elements[more.last].link = requests.first
    if requests.first == 0:
        requests.last = more.last
    requests.first = more.first
    requests.n += more.n

cdef inline Requests single(uint32_t number) noexcept nogil:
    cdef Requests requests
    requests.first, requests.last, requests.n = number, number, 1
    return requests

cdef inline Left leave(Bucket* bucket, uint64_t seen, Element* elements, Requests requests,
                       uint32_t* depth) noexcept nogil:
    """Delegate the requests (Principle 4.1) to the incarnation seen with this word, if it is
    not marked (Invariant 4.10)."""
    cdef uint64_t incarnation = seen >> 32
    cdef uint32_t top
    while not is_marked(seen) and seen >> 32 == incarnation:
        top = <uint32_t>(seen & TOP)
        elements[requests.last].link = top
        # Of another thread's request, which may be gone by now: then the exchange fails.
        depth[0] = requests.n + (elements[top].depth.load(memory_order_relaxed) if top else 0)
        elements[requests.first].depth.store(depth[0], memory_order_relaxed)
        yield_point()
        # Release: the requests; pairs with who takes the queue.
        if bucket.word.compare_exchange_weak(
            seen, (seen & ~<uint64_t>TOP) | requests.first, memory_order_acq_rel, memory_order_acquire
        ):
            return QUEUED if top != 0 or seen & OWNED else UNATTENDED
    return REFUSED

cdef inline uint32_t take_queue(Bucket* bucket) noexcept nogil:
    """For the owner: the queue's top request, 0 where there is none."""
    cdef uint64_t word = bucket.word.load(memory_order_relaxed)
    if word & TOP == 0:
        return 0
    yield_point()
    return <uint32_t>(bucket.word.exchange(word & ~<uint64_t>TOP, memory_order_acq_rel) & TOP)

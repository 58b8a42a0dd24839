"""A lock that is had in the order in which it was asked for, so that who asks seldom is not
kept out by who asks always.

It is waited for awake: hold it for microseconds, and where there are no more threads than cores.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.machine.threads cimport pause_briefly, yield_core

cdef enum:
    PAUSES = 200                        # then yield: who has the lock may need this very core

cdef struct TicketLock:
    PaddedCounter* asked                # tickets given
    PaddedCounter* served               # the ticket that may enter

cdef inline void acquire(TicketLock* lock) noexcept nogil:
    # relaxed: what the holder before has written is seen by way of `served`
    cdef int64_t ticket = lock.asked.value.fetch_add(1, memory_order_relaxed), rounds = 0
    while lock.served.value.load(memory_order_acquire) != ticket:       # pairs with `release`
        rounds += 1
        if rounds <= PAUSES:
            pause_briefly()
        else:
            yield_core()

cdef inline void release(TicketLock* lock) noexcept nogil:
    # relaxed: only the holder writes it. release: pairs with the next one's acquire
    lock.served.value.store(lock.served.value.load(memory_order_relaxed) + 1, memory_order_release)

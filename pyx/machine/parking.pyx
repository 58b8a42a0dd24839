"""An event count on one word: how many sleep, and how many of them have been woken and do not know it yet.

A publisher turns a sleeper into a permit and rouses one; whoever comes out of `park` takes a permit where there is one.
So a sleeper is woken once, however much is published before it runs.
"""

from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.machine.simulated cimport roused, slept
from streambench.pyx.machine.yield_points cimport yield_point


cdef void withdraw(Parking* parking) noexcept nogil:
    """After `announce`, without sleeping: there is work. A permit is left to a sleeper, if there is any."""
    cdef uint32_t state = parking.state.load(memory_order_relaxed)
    while not parking.state.compare_exchange_weak(state, state - (SLEEPER if state & SLEEPERS else PERMIT),
                                                  memory_order_acquire, memory_order_relaxed):
        pass


cdef bint park(Parking* parking, int64_t timeout_ns) noexcept nogil:
    """After `announce` and a look in vain: sleep until woken, at most so long. Whether it was woken."""
    cdef uint32_t state
    yield_point()           # a permit may come just now: it is not to be slept on
    state = parking.state.load(memory_order_relaxed)
    yield_point()
    if state < PERMIT:
        if not slept(&parking.state, timeout_ns):
            sleep_while(parking, state, timeout_ns)
        yield_point()
        state = parking.state.load(memory_order_relaxed)
    # Acquire pairs with the release in `wake`: what was published before is seen.
    while not parking.state.compare_exchange_weak(state, state - (PERMIT if state >= PERMIT else SLEEPER),
                                                  memory_order_acquire, memory_order_relaxed):
        pass
    return state >= PERMIT


cdef void wake(Parking* parking, uint32_t at_most) noexcept nogil:
    """Wake up to ``at_most`` sleepers."""
    cdef uint32_t state = parking.state.load(memory_order_relaxed)
    cdef uint32_t n = min(state & SLEEPERS, at_most)
    while n > 0 and not parking.state.compare_exchange_weak(state, state + n * (PERMIT - SLEEPER),
                                                           memory_order_release, memory_order_relaxed):
        n = min(state & SLEEPERS, at_most)
    yield_point()
    if n > 0 and not roused(&parking.state, n):
        rouse(parking, n)

"""Injected yields: few cores show few interleavings, so a stress test forces more of them.

Off unless ``inject`` is called. Each thread draws from its own sequence, started from the seed and the order in
which the threads first came by.
"""

from libc.stdint cimport int64_t, uint64_t
from libcpp.atomic cimport atomic, memory_order_relaxed
from streambench.pyx.machine.threads cimport sleep_ns, yield_core

cdef extern from *:
    """
    #include <atomic>
    #include <cstdint>
    namespace streambench {
    struct YieldDraw { uint64_t state = 0; uint64_t round = 0; };
    // Thread-local, which Cython cannot say. With the static model the variable lies with the thread's stack: glibc
    // frees one that lies by itself in whichever thread starts next, which the thread sanitizer takes for a race.
    #if defined(__GLIBC__)
    __attribute__((tls_model("initial-exec")))
    #endif
    inline thread_local YieldDraw own_yield_draw;
    inline YieldDraw& yield_draw() { return own_yield_draw; }
    }
    """
    cppclass YieldDraw "streambench::YieldDraw" nogil:
        uint64_t state
        uint64_t round
    YieldDraw& yield_draw "streambench::yield_draw"() noexcept nogil

cdef int64_t NAP_NS = 50_000
cdef uint64_t seed = 0
cdef uint64_t round_number = 0
cdef atomic[int64_t] arrivals


cdef void perhaps_yield() noexcept nogil:
    cdef YieldDraw* draw = &yield_draw()
    cdef uint64_t drawn
    if draw.round != round_number:
        draw.round = round_number
        draw.state = seed + <uint64_t>0x9E3779B97F4A7C15 * <uint64_t>(arrivals.fetch_add(1, memory_order_relaxed) + 1)
    draw.state += <uint64_t>0x9E3779B97F4A7C15        # splitmix64
    drawn = (draw.state ^ (draw.state >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    drawn = (drawn ^ (drawn >> 27)) * <uint64_t>0x94D049BB133111EB
    drawn ^= drawn >> 31
    if drawn % <uint64_t>one_in != 0:
        return
    if (drawn >> 32) & 7:
        yield_core()
    else:
        sleep_ns(NAP_NS)            # a yield with nobody waiting returns at once; a nap lets others pass for certain


def inject(int chance, uint64_t start=1):
    """From now on yield at one of ``chance`` visits to a yield point (0: never), seeded by
    ``start``. Not while workers run."""
    global one_in, seed, round_number
    if chance < 0:
        raise ValueError(f"the chance must be 0 (never) or one in so many, not {chance}")
    seed = start
    round_number += 1
    arrivals.store(0)
    one_in = chance

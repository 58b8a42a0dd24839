"""Mutexes that no other data shares a cache line with. Verbatim C++ for the alignment, and because
``libcpp`` has mutexes that may throw, around which Cython would take the GIL: none of these does if it is
unlocked by who has locked it.
"""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.machine.simulated cimport LOCK, is_asked, let_go, machine_here, roused, slept, take_hold, touch

cdef extern from *:
    """
    #include <cstdint>
    #include <mutex>
    namespace streambench {
    struct alignas(128) Mutex {
        std::mutex inner;
        void lock() noexcept { inner.lock(); }
        bool try_lock() noexcept { return inner.try_lock(); }
        void unlock() noexcept { inner.unlock(); }
    };
    inline Mutex* new_mutexes(int64_t n) { return new Mutex[n]; }
    inline void delete_mutexes(Mutex* mutexes) { delete[] mutexes; }
    }
    """
    cppclass Mutex "streambench::Mutex" nogil:
        void lock() noexcept
        bint try_lock() noexcept
        void unlock() noexcept

    Mutex* new_mutexes "streambench::new_mutexes"(int64_t n) except +
    void delete_mutexes "streambench::delete_mutexes"(Mutex* mutexes) noexcept nogil

cdef enum:
    UNTIL_ROUSED_BITS = 60              # of ns: so long sleeps who waits for a lock

# The same for threads that may be simulated. ``place``: of the locks of this kind, see ``take_hold``.

cdef inline bint try_hold(Mutex* lock, int32_t place) noexcept nogil:
    if not is_asked() or machine_here() is NULL:
        return lock.try_lock()
    touch(LOCK, lock)
    if not lock.try_lock():
        return False
    take_hold(LOCK, place, lock)
    return True

cdef inline void hold(Mutex* lock, int32_t place) noexcept nogil:
    if not is_asked() or machine_here() is NULL:
        lock.lock()
        return
    while not try_hold(lock, place):
        if not slept(lock, <int64_t>1 << UNTIL_ROUSED_BITS):  # on a simulated machine the holder is in this very thread
            lock.lock()
            return

cdef inline void release_hold(Mutex* lock, int32_t place) noexcept nogil:
    if not is_asked() or machine_here() is NULL:
        lock.unlock()
        return
    touch(LOCK, lock)           # who has tried in vain has taken the line away
    lock.unlock()
    let_go(LOCK, place, lock)
    roused(lock, 1)

"""Mutexes that no other data shares a cache line with. Verbatim C++ for the alignment, and because
``libcpp`` has mutexes that may throw, around which Cython would take the GIL: none of these does if it is
unlocked by who has locked it.
"""

from libc.stdint cimport int64_t

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

"""An array of atomic pointers, all NULL at first. Verbatim C++ because Cython cannot say ``new T[n]()``."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic

cdef extern from *:
    """
    #include <atomic>
    #include <cstdint>
    namespace streambench {
    inline std::atomic<void*>* new_slots(int64_t n) { return new std::atomic<void*>[n](); }
    inline void delete_slots(std::atomic<void*>* slots) { delete[] slots; }
    static_assert(std::atomic<void*>::is_always_lock_free);
    }
    """
    atomic[void*]* new_slots "streambench::new_slots"(int64_t n) except +
    void delete_slots "streambench::delete_slots"(atomic[void*]* slots) noexcept nogil

"""Atomics that no other data shares a cache line with. Verbatim C++ because Cython cannot align a struct.

128 bytes, not 64: adjacent-line prefetch pairs the lines. On the heap, because CPython aligns objects to 16 only.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic

cdef extern from *:
    """
    #include <atomic>
    #include <cstdint>
    namespace streambench {
    struct alignas(128) PaddedCounter { std::atomic<int64_t> value{0}; };
    // Counters that are always touched together: one line moves, not one for each.
    struct alignas(128) CounterLine { std::atomic<int64_t> value[16] = {}; };
    inline CounterLine* new_counter_line() { return new CounterLine; }
    inline CounterLine* new_counter_lines(int64_t n) { return new CounterLine[n]; }
    inline void delete_counter_lines(CounterLine* lines) { delete[] lines; }
    inline void delete_counter_line(CounterLine* line) { delete line; }
    inline PaddedCounter* new_counters(int64_t n) { return new PaddedCounter[n]; }
    inline void delete_counters(PaddedCounter* counters) { delete[] counters; }
    static_assert(std::atomic<int64_t>::is_always_lock_free);
    }
    """
    cppclass PaddedCounter "streambench::PaddedCounter" nogil:
        atomic[int64_t] value

    cppclass CounterLine "streambench::CounterLine" nogil:
        atomic[int64_t] value[16]

    CounterLine* new_counter_line "streambench::new_counter_line"() except +
    # In a worker, too: see `memory`.
    CounterLine* new_counter_lines "streambench::new_counter_lines"(int64_t n) noexcept nogil
    CounterLine* new_counter_lines_under_the_gil "streambench::new_counter_lines"(int64_t n) except +
    void delete_counter_lines "streambench::delete_counter_lines"(CounterLine* lines) noexcept nogil
    void delete_counter_line "streambench::delete_counter_line"(CounterLine* line) noexcept nogil
    PaddedCounter* new_counters "streambench::new_counters"(int64_t n) except +
    void delete_counters "streambench::delete_counters"(PaddedCounter* counters) noexcept nogil

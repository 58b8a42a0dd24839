"""Atomics that no other data shares a cache line with. In C++ because Cython cannot align a struct.

128 bytes, not 64: adjacent-line prefetch pairs the lines. On the heap, because CPython aligns objects to 16 only.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic

cdef extern from "padded.h":
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

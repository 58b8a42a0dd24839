"""What ``libcpp`` lacks of ``<thread>``, and what a thread may ask of the system."""

from libc.stdint cimport int64_t

# A thread body runs without a Python thread state: no reference counts, no exceptions.
ctypedef void (*body_t)(void*) noexcept nogil

cdef extern from "<thread>" namespace "std" nogil:
    cppclass thread:
        thread() noexcept
        thread(body_t, void*) except +
        void join() except +
        bint joinable() noexcept

cdef extern from "thread_calls.h":
    void pause_briefly "streambench::pause_briefly"() noexcept nogil
    void yield_core "streambench::yield_core"() noexcept nogil
    void sleep_ns "streambench::sleep_ns"(int64_t ns) noexcept nogil
    void be_punctual "streambench::be_punctual"() noexcept nogil
    bint pin_to_core "streambench::pin_to_core"(int core) noexcept nogil

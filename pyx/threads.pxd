"""What ``libcpp`` lacks of ``<thread>``, and how a worker waits: pause, yield, then a short sleep."""

from libc.stdint cimport int64_t

# A thread body runs without a Python thread state: no reference counts, no exceptions.
ctypedef void (*body_t)(void*) noexcept nogil

cdef extern from "<thread>" namespace "std" nogil:
    cppclass thread:
        thread() noexcept
        thread(body_t, void*) except +
        void join() except +
        bint joinable() noexcept

cdef extern from *:
    """
    #include <ctime>
    #include <sched.h>
    #include <thread>
    #if defined(__x86_64__)
    #include <immintrin.h>
    #endif
    namespace streambench {
    inline void pause_briefly() {
    #if defined(__x86_64__)
        _mm_pause();
    #elif defined(__aarch64__)
        asm volatile("yield");
    #endif
    }
    inline void yield_core() { std::this_thread::yield(); }
    inline void sleep_ns(int64_t ns) {
        timespec span{time_t(ns / 1000000000), long(ns % 1000000000)};
        nanosleep(&span, nullptr);
    }
    // Binds the calling thread to one core; false where the system does not allow it.
    inline bool pin_to_core(int core) {
    #if defined(__linux__)
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(core, &set);
        return sched_setaffinity(0, sizeof set, &set) == 0;
    #else
        return false;
    #endif
    }
    }
    """
    void pause_briefly "streambench::pause_briefly"() noexcept nogil
    void yield_core "streambench::yield_core"() noexcept nogil
    void sleep_ns "streambench::sleep_ns"(int64_t ns) noexcept nogil
    bint pin_to_core "streambench::pin_to_core"(int core) noexcept nogil

cdef struct Backoff:
    int idle            # consecutive visits that found nothing to do

cdef void wait_a_little(Backoff* backoff) noexcept nogil

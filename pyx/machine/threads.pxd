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

cdef extern from *:
    """
    #include <ctime>
    #include <sched.h>
    #include <thread>
    #if defined(__x86_64__)
    #include <immintrin.h>
    #endif
    #if defined(__linux__)
    #include <sys/prctl.h>
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
    // The calling thread's sleeps end within a microsecond of their time, not within the system's usual 50.
    inline void be_punctual() {
    #if defined(__linux__)
        prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
    #endif
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
    void be_punctual "streambench::be_punctual"() noexcept nogil
    bint pin_to_core "streambench::pin_to_core"(int core) noexcept nogil

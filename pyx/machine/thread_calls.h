// What a thread may ask of the system.
#pragma once

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

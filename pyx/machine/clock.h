// A cheap monotonic clock; the cheapest counter differs by processor.
#pragma once

#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace streambench {
inline int64_t nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}
inline int64_t ticks() {
#if defined(__x86_64__)
    return int64_t(__rdtsc());
#else
    return nanoseconds();
#endif
}
}

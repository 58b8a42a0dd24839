// Where a worker with nothing to do sleeps; see parking.pxd.
#pragma once

#include <atomic>
#include <cstdint>
#if defined(__linux__)
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <chrono>
#include <condition_variable>
#include <mutex>
#endif

namespace streambench {
// Alone on its lines (see padded.pxd): publishers only read it as long as nobody goes to sleep or wakes.
struct alignas(128) Parking {
    std::atomic<uint32_t> state{0};
    std::atomic<uint32_t> watched{0};
#if !defined(__linux__)
    std::mutex mutex;
    std::condition_variable changed;
#endif
};
inline Parking* new_parking() { return new Parking; }
inline void delete_parking(Parking* parking) { delete parking; }
static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4);
// Sleeps unless the state is another already; returns when woken, after the time, on a signal, or for no reason.
inline void sleep_while(Parking* parking, uint32_t state, int64_t ns) {
#if defined(__linux__)
    timespec span{time_t(ns / 1000000000), long(ns % 1000000000)};
    syscall(SYS_futex, &parking->state, FUTEX_WAIT_PRIVATE, state, &span, nullptr, 0);
#else
    std::unique_lock<std::mutex> lock(parking->mutex);
    if (parking->state.load() == state) parking->changed.wait_for(lock, std::chrono::nanoseconds(ns));
#endif
}
inline void rouse(Parking* parking, uint32_t n) {
#if defined(__linux__)
    syscall(SYS_futex, &parking->state, FUTEX_WAKE_PRIVATE, n, nullptr, nullptr, 0);
#else
    {  // afterwards nobody is between its look at the state and its wait
        std::lock_guard<std::mutex> lock(parking->mutex);
    }
    while (n-- > 0) parking->changed.notify_one();
#endif
}
}

// What a lock-based reorder buffer shares; see lock_based_reorder_buffer.pxd.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace streambench {
// What the lock protects lies with it; aligned, so that workers who read the object do not fetch the lock's line.
struct alignas(128) LockedCounter {
    std::mutex lock;
    std::atomic<int64_t> next{0};
};
// Unlocks even where a worker that is refused memory unwinds (see machine/memory).
struct HeldLock {
    std::mutex* lock = nullptr;
    void release() {
        if (lock) {
            lock->unlock();
            lock = nullptr;
        }
    }
    ~HeldLock() { release(); }
};
}

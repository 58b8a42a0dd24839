// Notices two workers where only one may be.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace probes {
struct Guards {
    std::vector<std::atomic<int64_t>> inside;
    std::atomic<int64_t> violations{0};
    explicit Guards(int64_t n) : inside(n) {}
    // Relaxed: a guard must not order what the runtime itself forgets to order.
    void enter(int64_t k) {
        if (inside[k].fetch_add(1, std::memory_order_relaxed) != 0) violations.fetch_add(1);
    }
    int64_t violations_now() { return violations.load(); }
    void leave(int64_t k) { inside[k].fetch_sub(1, std::memory_order_relaxed); }
};
}

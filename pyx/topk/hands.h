// A thread's own part of a Monitored Set that threads share; see monitored_set.pxd.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "frequency_bucket.h"
#include "number_pool.h"
#include "operation_times.h"

namespace streambench {
struct alignas(128) Hand {
    std::atomic<int64_t> taken{0};
    std::atomic<int64_t> counted{0};
    std::atomic<int64_t> delegated{0}, left{0}, depths{0}, deepest{0}, slept{0};
    OwnNumbers elements, buckets;
    std::vector<Bucket*> unattended;
    int64_t marked{0}, sweep_at{256};
    uint32_t depth{0};
    OperationTimes times;
};
inline Hand* new_hands(int64_t n) { return new Hand[n]; }
inline void delete_hands(Hand* all) { delete[] all; }
}

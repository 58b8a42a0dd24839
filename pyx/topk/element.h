// An element of the search structure and the Stream Summary; see element.pxd.
#pragma once

#include <atomic>
#include <cstdint>

#include "frequency_bucket.h"

namespace streambench {
// One line and not two: there are as many as counters, most of them are cold, and a cold one costs what it touches.
// One that nobody has used yet is all zeros: memory of the system's that has not been touched.
struct alignas(64) Element {
    std::atomic<uint64_t> item, pending;
    std::atomic<int64_t> count, error;
    Bucket* bucket;
    uint32_t increment, previous, next, link;
    std::atomic<uint32_t> chain, depth;
};
static_assert(sizeof(Element) == 64 && std::atomic<uint64_t>::is_always_lock_free);
}

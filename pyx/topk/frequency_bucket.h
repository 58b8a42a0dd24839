// A bucket of the concurrent Stream Summary; see frequency_bucket.pxd.
#pragma once

#include <atomic>
#include <cstdint>

namespace streambench {
struct Requests { uint32_t first, last, n; };
// One that nobody has used yet is all zeros: memory of the system's that has not been touched.
struct alignas(64) Bucket {
    std::atomic<uint64_t> word;
    std::atomic<int64_t> frequency;
    std::atomic<Bucket*> next;
    uint32_t first, last;
    Requests deferred;
};
static_assert(sizeof(Bucket) == 64);
}

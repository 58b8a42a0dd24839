// The blocks that one thread hands over to one partition. In C++ for the alignment; see hand_over.pxd.
#pragma once

#include <atomic>
#include <cstdint>

namespace streambench {
struct alignas(128) Lane {
    std::atomic<int64_t> handed{0};
    int64_t filled = 0;
    uint64_t* begun = nullptr;
    uint64_t* items = nullptr;
    alignas(128) std::atomic<int64_t> counted{0};
};
inline Lane* new_lanes(int64_t n) { return new Lane[n]; }
inline void delete_lanes(Lane* lanes) { delete[] lanes; }
}

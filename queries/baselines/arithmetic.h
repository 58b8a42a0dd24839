// What the micro pipeline computes, once for its operators, the loop and oneTBB's pipeline.
// C++, because oneTBB is, and because only an asm barrier keeps a compiler from doing several tuples' work at a time.
#pragma once
#include <cstdint>

namespace micro {

// Cheap, and made of what every vector unit has.
inline uint64_t mix(uint64_t key, uint64_t value) { return (value ^ (value >> 29)) + (key ^ (key << 17)); }

// `iterations` multiplications and additions, each of which waits for the one before it; none leave x as it is.
inline uint64_t work(uint64_t x, int64_t iterations) {
    for (int64_t k = 0; k < iterations; ++k) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        asm volatile("" : "+r"(x));
    }
    return x;
}

inline void prefetch_for_writing(const void* address) { __builtin_prefetch(address, 1); }

// Fletcher's checksum of a sequence: its sum, and the sum of the sums, in which every place counts differently.
struct Digest {
    uint64_t sum = 0, sums = 0;

    void add(uint64_t x) {
        sum += x;
        sums += sum;
    }

    // The same for the sums of two columns: each of four lanes folds every fourth tuple,
    // without waiting for the others.
    void add_columns(const int64_t* first, const int64_t* second, int64_t n) {
        uint64_t lane_sum[4] = {}, lane_sums[4] = {};
        const int64_t whole = n & ~int64_t(3);
        for (int64_t i = 0; i < whole; i += 4)
            for (int lane = 0; lane < 4; ++lane) {
                lane_sum[lane] += uint64_t(first[i + lane]) + uint64_t(second[i + lane]);
                lane_sums[lane] += lane_sum[lane];
            }
        sums += uint64_t(whole) * sum;
        for (int lane = 0; lane < 4; ++lane) {
            // Of `whole` sums to come, a lane's row i takes part in whole - 4 i - lane;
            // lane_sums counts (whole / 4 - i).
            sums += 4 * lane_sums[lane] - uint64_t(lane) * lane_sum[lane];
            sum += lane_sum[lane];
        }
        for (int64_t i = whole; i < n; ++i) add(uint64_t(first[i]) + uint64_t(second[i]));
    }
};

}  // namespace micro

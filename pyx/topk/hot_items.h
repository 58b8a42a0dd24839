// Items of a stream that are one of a few are counted in registers, the others put together. In C++ for the SIMD paths,
// chosen by the processor while it runs: compilers make no vectors of a loop that leaves items out.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
namespace streambench {
constexpr int32_t HOT = 8;
// Adds to `counts`; the others, in order, go to `rest`, which has room for all. How many they are.
inline int64_t part_by_one(const uint64_t* items, int64_t n, const uint64_t* hot, int64_t* counts, uint64_t* rest) {
    int64_t left = 0;
    for (int64_t i = 0; i < n; ++i) {
        int64_t is_hot = 0;
        for (int32_t k = 0; k < HOT; ++k) {
            counts[k] += items[i] == hot[k];
            is_hot |= items[i] == hot[k];
        }
        rest[left] = items[i];
        left += 1 - is_hot;
    }
    return left;
}
#if defined(__x86_64__)
struct Halves { uint32_t half[16][8]; };
constexpr Halves halves() {  // of four items of two halves each, those of the bits in front
    Halves all{};
    for (int32_t bits = 0; bits < 16; ++bits)
        for (int32_t i = 0, n = 0; i < 4; ++i)
            if (bits >> i & 1) {
                all.half[bits][n++] = uint32_t(2 * i);
                all.half[bits][n++] = uint32_t(2 * i + 1);
            }
    return all;
}
inline constexpr Halves HALVES = halves();
__attribute__((target("avx2,popcnt"))) inline int64_t part_by_32_bytes(const uint64_t* items, int64_t n,
                                                                       const uint64_t* hot, int64_t* counts,
                                                                       uint64_t* rest) {
    __m256i wanted[HOT], sum[HOT];
    for (int32_t k = 0; k < HOT; ++k) wanted[k] = _mm256_set1_epi64x(int64_t(hot[k])), sum[k] = _mm256_setzero_si256();
    int64_t i = 0, left = 0;  // a store of four reaches no further than what has been read
    for (; i + 4 <= n; i += 4) {
        const __m256i four = _mm256_loadu_si256((const __m256i*)(items + i));
        __m256i any = _mm256_setzero_si256();
#pragma GCC unroll 8
        for (int32_t k = 0; k < HOT; ++k) {
            const __m256i same = _mm256_cmpeq_epi64(four, wanted[k]);
            sum[k] = _mm256_sub_epi64(sum[k], same);
            any = _mm256_or_si256(any, same);
        }
        const uint32_t bits = ~uint32_t(_mm256_movemask_pd(_mm256_castsi256_pd(any))) & 15;
        const __m256i places = _mm256_loadu_si256((const __m256i*)HALVES.half[bits]);
        _mm256_storeu_si256((__m256i*)(rest + left), _mm256_permutevar8x32_epi32(four, places));
        left += __builtin_popcount(bits);
    }
    for (int32_t k = 0; k < HOT; ++k) {
        int64_t lane[4];
        _mm256_storeu_si256((__m256i*)lane, sum[k]);
        counts[k] += lane[0] + lane[1] + lane[2] + lane[3];
    }
    return left + part_by_one(items + i, n - i, hot, counts, rest + left);
}
__attribute__((target("avx512f,popcnt"))) inline int64_t part_by_64_bytes(const uint64_t* items, int64_t n,
                                                                          const uint64_t* hot, int64_t* counts,
                                                                          uint64_t* rest) {
    __m512i wanted[HOT], sum[HOT];
    for (int32_t k = 0; k < HOT; ++k) wanted[k] = _mm512_set1_epi64(int64_t(hot[k])), sum[k] = _mm512_setzero_si512();
    const __m512i one = _mm512_set1_epi64(1);
    int64_t i = 0, left = 0;
    for (; i + 8 <= n; i += 8) {
        const __m512i eight = _mm512_loadu_si512(items + i);
        __mmask8 any = 0;
#pragma GCC unroll 8
        for (int32_t k = 0; k < HOT; ++k) {
            const __mmask8 same = _mm512_cmpeq_epi64_mask(eight, wanted[k]);
            sum[k] = _mm512_mask_add_epi64(sum[k], same, sum[k], one);
            any = __mmask8(any | same);
        }
        const __mmask8 others = __mmask8(~any);
        _mm512_storeu_si512(rest + left, _mm512_maskz_compress_epi64(others, eight));
        left += __builtin_popcount(others);
    }
    for (int32_t k = 0; k < HOT; ++k) counts[k] += _mm512_reduce_add_epi64(sum[k]);
    return left + part_by_one(items + i, n - i, hot, counts, rest + left);
}
#endif
// `level`: as `count_level` says.
inline int64_t part_hot(int32_t level, const uint64_t* items, int64_t n, const uint64_t* hot, int64_t* counts,
                        uint64_t* rest) {
#if defined(__x86_64__)
    if (level == 2) return part_by_64_bytes(items, n, hot, counts, rest);
    if (level == 1) return part_by_32_bytes(items, n, hot, counts, rest);
#endif
    return part_by_one(items, n, hot, counts, rest);
}
}

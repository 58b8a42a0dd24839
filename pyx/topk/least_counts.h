// The least of many counts, and where it stands. In C++ for the SIMD paths, chosen by the processor while it runs:
// compilers make no vectors of a search that notes where it found something. All paths find the same places in the same
// order.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
namespace streambench {
struct Monitored {
    uint64_t item;
    int64_t count;
};
constexpr int32_t AT_ONCE = 8;  // what is scanned is a multiple of it; `out` has room for so many more
struct Least {
    int64_t count;  // the least
    int64_t slots;  // how many have the guessed one
};
inline Least scan_by_one(const Monitored* all, int64_t n, int64_t guess, uint32_t* out) {
    Least found{INT64_MAX, 0};
    for (int64_t i = 0; i < n; ++i) {
        found.count = all[i].count < found.count ? all[i].count : found.count;
        out[found.slots] = uint32_t(i);
        found.slots += all[i].count == guess;
    }
    return found;
}
#if defined(__x86_64__)
struct Quads { uint32_t place[16][4]; };
// Of four places, those of the bits in front. A bit stands for place 0, 2, 1, 3: so counts are taken out of two pairs.
constexpr Quads quads() {
    constexpr int32_t bit[4] = {0, 2, 1, 3};
    Quads all{};
    for (int32_t bits = 0; bits < 16; ++bits)
        for (int32_t place = 0, n = 0; place < 4; ++place)
            if (bits >> bit[place] & 1) all.place[bits][n++] = uint32_t(place);
    return all;
}
inline constexpr Quads QUADS = quads();
__attribute__((target("avx2,popcnt"))) inline Least scan_by_32_bytes(const Monitored* all, int64_t n, int64_t guess,
                                                                     uint32_t* out) {
    __m256i least = _mm256_set1_epi64x(INT64_MAX);
    const __m256i guessed = _mm256_set1_epi64x(guess);
    int64_t places = 0;
    for (int64_t i = 0; i < n; i += 4) {
        const __m256i* pairs = (const __m256i*)(all + i);
        const __m256i counts = _mm256_unpackhi_epi64(_mm256_loadu_si256(pairs), _mm256_loadu_si256(pairs + 1));
        least = _mm256_blendv_epi8(least, counts, _mm256_cmpgt_epi64(least, counts));
        const int32_t bits = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(counts, guessed)));
        const __m128i place = _mm_loadu_si128((const __m128i*)QUADS.place[bits]);
        _mm_storeu_si128((__m128i*)(out + places), _mm_add_epi32(place, _mm_set1_epi32(int32_t(i))));
        places += __builtin_popcount(uint32_t(bits));
    }
    int64_t lane[4];
    _mm256_storeu_si256((__m256i*)lane, least);
    Least found{lane[0], places};
    for (int32_t i = 1; i < 4; ++i) found.count = lane[i] < found.count ? lane[i] : found.count;
    return found;
}
__attribute__((target("avx512f,avx512vl,popcnt"))) inline Least scan_by_64_bytes(const Monitored* all, int64_t n,
                                                                                 int64_t guess, uint32_t* out) {
    __m512i least = _mm512_set1_epi64(INT64_MAX);
    const __m512i guessed = _mm512_set1_epi64(guess), odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m256i first = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    int64_t places = 0;
    for (int64_t i = 0; i < n; i += 8) {
        const __m512i counts =
            _mm512_permutex2var_epi64(_mm512_loadu_si512(all + i), odd, _mm512_loadu_si512(all + i + 4));
        least = _mm512_mask_min_epi64(least, 0xFF, least, counts);
        const __mmask8 bits = _mm512_cmpeq_epi64_mask(counts, guessed);
        const __m256i place = _mm256_add_epi32(first, _mm256_set1_epi32(int32_t(i)));
        _mm256_storeu_si256((__m256i*)(out + places), _mm256_maskz_compress_epi32(bits, place));
        places += __builtin_popcount(bits);
    }
    int64_t lane[8];
    _mm512_storeu_si512(lane, least);
    Least found{lane[0], places};
    for (int32_t i = 1; i < 8; ++i) found.count = lane[i] < found.count ? lane[i] : found.count;
    return found;
}
#endif
// 2: AVX-512, 1: AVX2, 0: what every processor has.
inline int32_t count_level() {
#if defined(__x86_64__)
    static const int32_t level = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") ? 2
                                 : __builtin_cpu_supports("avx2")                                        ? 1
                                                                                                         : 0;
    return level;
#else
    return 0;
#endif
}
// Of the first n: the least count, INT64_MAX for none; and into `out`, ascending, the places of those with the guessed
// one.
inline Least scan_counts(int32_t level, const Monitored* all, int64_t n, int64_t guess, uint32_t* out) {
#if defined(__x86_64__)
    if (level == 2) return scan_by_64_bytes(all, n, guess, out);
    if (level == 1) return scan_by_32_bytes(all, n, guess, out);
#endif
    return scan_by_one(all, n, guess, out);
}
}

// Which slots of a window pass which probes: one or two columns of codes against the probes' stretches of codes, modulo
// their width. In C++ for the SIMD paths, chosen by the processor while it runs: compilers do not make vectors of
// several probes in one pass over the slots, which is what keeps the columns in registers. What passes is written as
// slot * 8 + probe.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
namespace streambench {
#define STREAMBENCH_JOIN_INLINE __attribute__((always_inline)) inline
constexpr int32_t SLOTS_AT_ONCE = 64;  // what is scanned is a multiple of it
constexpr int32_t PROBES_AT_ONCE = 8;
template <class C> struct CodeProbes {  // of probes: their lowest codes; how far all reach above those
    C low[2][PROBES_AT_ONCE];
    C reach[2];
};
template <class C>
inline int32_t scan_by_one(const C* x, const C* y, int32_t n, const CodeProbes<C>& probes, int32_t count,
                           uint32_t* hits) {
    int32_t found = 0;
    for (int32_t i = 0; i < n; i += SLOTS_AT_ONCE)
        for (int32_t p = 0; p < count; ++p) {
            uint8_t in[SLOTS_AT_ONCE];
            const C low_x = probes.low[0][p], low_y = probes.low[1][p];
            int32_t any = 0;
            for (int32_t j = 0; j < SLOTS_AT_ONCE; ++j) {
                in[j] = (C(x[i + j] - low_x) <= probes.reach[0]) & (!y || C(y[i + j] - low_y) <= probes.reach[1]);
                any |= in[j];
            }
            for (int32_t j = 0; any && j < SLOTS_AT_ONCE; ++j)
                if (in[j]) hits[found++] = uint32_t(i + j) * PROBES_AT_ONCE + uint32_t(p);
        }
    return found;
}
#if defined(__x86_64__)
// Signed comparisons are all that AVX2 has: codes are moved so that the lowest that passes is the type's least value.
template <class C> struct Avx2Codes;
#define STREAMBENCH_JOIN_AVX2 __attribute__((target("avx2,popcnt")))
#define STREAMBENCH_JOIN_AVX512 __attribute__((target("avx512f,avx512bw,popcnt")))
template <> struct Avx2Codes<uint32_t> {
    STREAMBENCH_JOIN_AVX2 static STREAMBENCH_JOIN_INLINE __m256i all(uint32_t code) {
        return _mm256_set1_epi32(int32_t(code));
    }
    STREAMBENCH_JOIN_AVX2 static STREAMBENCH_JOIN_INLINE __m256i outside(__m256i codes, __m256i moved, __m256i most) {
        return _mm256_cmpgt_epi32(_mm256_sub_epi32(codes, moved), most);
    }
    STREAMBENCH_JOIN_AVX2 static STREAMBENCH_JOIN_INLINE __m256i above(__m256i codes, __m256i moved) {
        return _mm256_sub_epi32(codes, moved);
    }
    STREAMBENCH_JOIN_AVX2 static STREAMBENCH_JOIN_INLINE __m256i greater(__m256i a, __m256i b) {
        return _mm256_max_epi32(a, b);
    }
    STREAMBENCH_JOIN_AVX2 static STREAMBENCH_JOIN_INLINE __m256i less(__m256i a, __m256i b) {
        return _mm256_min_epi32(a, b);
    }
};
template <> struct Avx2Codes<uint8_t> {
    STREAMBENCH_JOIN_AVX2 static STREAMBENCH_JOIN_INLINE __m256i all(uint8_t code) {
        return _mm256_set1_epi8(int8_t(code));
    }
    STREAMBENCH_JOIN_AVX2 static STREAMBENCH_JOIN_INLINE __m256i outside(__m256i codes, __m256i moved, __m256i most) {
        return _mm256_cmpgt_epi8(_mm256_sub_epi8(codes, moved), most);
    }
    STREAMBENCH_JOIN_AVX2 static STREAMBENCH_JOIN_INLINE __m256i above(__m256i codes, __m256i moved) {
        return _mm256_sub_epi8(codes, moved);
    }
    STREAMBENCH_JOIN_AVX2 static STREAMBENCH_JOIN_INLINE __m256i greater(__m256i a, __m256i b) {
        return _mm256_max_epi8(a, b);
    }
    STREAMBENCH_JOIN_AVX2 static STREAMBENCH_JOIN_INLINE __m256i less(__m256i a, __m256i b) {
        return _mm256_min_epi8(a, b);
    }
};
template <class C, bool TWO>
STREAMBENCH_JOIN_AVX2 STREAMBENCH_JOIN_INLINE __m256i outside_of(const C* x, const C* y, const __m256i* moved,
                                                                 __m256i most_x, __m256i most_y) {
    __m256i outside = Avx2Codes<C>::outside(_mm256_loadu_si256((const __m256i*)x), moved[0], most_x);
    if (TWO)
        outside =
            _mm256_or_si256(outside, Avx2Codes<C>::outside(_mm256_loadu_si256((const __m256i*)y), moved[1], most_y));
    return outside;
}
// How far codes are above the lowest that passes, of both columns the greater.
template <class C, bool TWO>
STREAMBENCH_JOIN_AVX2 STREAMBENCH_JOIN_INLINE __m256i above_of(const C* x, const C* y, const __m256i* moved) {
    __m256i above = Avx2Codes<C>::above(_mm256_loadu_si256((const __m256i*)x), moved[0]);
    if (TWO) above = Avx2Codes<C>::greater(above, Avx2Codes<C>::above(_mm256_loadu_si256((const __m256i*)y), moved[1]));
    return above;
}
// All probes of a pass are tested together against two registers of slots: is the least that is above, of any, within
// the larger reach? Reaches are much alike. Only where that is so it is asked of each probe and each column.
template <class C, bool TWO, int P>
STREAMBENCH_JOIN_AVX2 int32_t scan_by_32_bytes(const C* x, const C* y, int32_t n, const CodeProbes<C>& probes,
                                               int32_t count, uint32_t* hits) {
    constexpr C TOP = C(C(1) << (8 * sizeof(C) - 1));
    constexpr int32_t LANES = 32 / sizeof(C);
    __m256i moved[P][2];
    for (int32_t p = 0; p < P; ++p)
        for (int32_t k = 0; k < 2; ++k) moved[p][k] = Avx2Codes<C>::all(C(probes.low[k][p < count ? p : 0] + TOP));
    const __m256i most_x = Avx2Codes<C>::all(C(probes.reach[0] + TOP)),
                  most_y = Avx2Codes<C>::all(C(probes.reach[1] + TOP));
    const __m256i most =
        Avx2Codes<C>::all(C((TWO && probes.reach[1] > probes.reach[0] ? probes.reach[1] : probes.reach[0]) + TOP));
    int32_t found = 0;
    for (int32_t i = 0; i < n; i += 2 * LANES) {
        __m256i least = Avx2Codes<C>::all(C(TOP - 1));
#pragma GCC unroll 8
        for (int32_t p = 0; p < P; ++p) {
            const __m256i one = above_of<C, TWO>(x + i, y + i, moved[p]),
                          two = above_of<C, TWO>(x + i + LANES, y + i + LANES, moved[p]);
            least = Avx2Codes<C>::less(least, Avx2Codes<C>::less(one, two));
        }
        if (__builtin_expect(_mm256_movemask_epi8(Avx2Codes<C>::outside(least, _mm256_setzero_si256(), most)) == -1, 1))
            continue;
        for (int32_t p = 0; p < count; ++p)
            for (int32_t half = 0; half < 2; ++half) {
                const int32_t at = i + half * LANES;
                uint32_t in =
                    ~uint32_t(_mm256_movemask_epi8(outside_of<C, TWO>(x + at, y + at, moved[p], most_x, most_y)));
                if (sizeof(C) == 4) in &= 0x11111111u;  // one bit of each lane's four
                for (; in; in &= in - 1)
                    hits[found++] =
                        uint32_t(at + __builtin_ctz(in) / int32_t(sizeof(C))) * PROBES_AT_ONCE + uint32_t(p);
            }
    }
    return found;
}
template <class C> struct Avx512Codes;
// Masks keep their own width until they are looked at: gcc 12 at -O1 spills two bytes of a mask that was widened, and
// reads eight.
template <> struct Avx512Codes<uint32_t> {
    using Mask = __mmask16;
    STREAMBENCH_JOIN_AVX512 static STREAMBENCH_JOIN_INLINE __m512i all(uint32_t code) {
        return _mm512_set1_epi32(int32_t(code));
    }
    STREAMBENCH_JOIN_AVX512 static STREAMBENCH_JOIN_INLINE Mask inside(Mask of, __m512i codes, __m512i low,
                                                                       __m512i reach) {
        return _mm512_mask_cmple_epu32_mask(of, _mm512_sub_epi32(codes, low), reach);
    }
};
template <> struct Avx512Codes<uint8_t> {
    using Mask = __mmask64;
    STREAMBENCH_JOIN_AVX512 static STREAMBENCH_JOIN_INLINE __m512i all(uint8_t code) {
        return _mm512_set1_epi8(int8_t(code));
    }
    STREAMBENCH_JOIN_AVX512 static STREAMBENCH_JOIN_INLINE Mask inside(Mask of, __m512i codes, __m512i low,
                                                                       __m512i reach) {
        return _mm512_mask_cmple_epu8_mask(of, _mm512_sub_epi8(codes, low), reach);
    }
};
template <class C, bool TWO, int P>
STREAMBENCH_JOIN_AVX512 int32_t scan_by_64_bytes(const C* x, const C* y, int32_t n, const CodeProbes<C>& probes,
                                                 int32_t count, uint32_t* hits) {
    using Mask = typename Avx512Codes<C>::Mask;
    constexpr int32_t LANES = 64 / sizeof(C);
    __m512i low[P][2];
    for (int32_t p = 0; p < P; ++p)
        for (int32_t k = 0; k < 2; ++k) low[p][k] = Avx512Codes<C>::all(probes.low[k][p < count ? p : 0]);
    const __m512i reach_x = Avx512Codes<C>::all(probes.reach[0]), reach_y = Avx512Codes<C>::all(probes.reach[1]);
    int32_t found = 0;
    for (int32_t i = 0; i < n; i += LANES) {
        const __m512i xs = _mm512_loadu_si512(x + i);
        __m512i ys = xs;
        if (TWO) ys = _mm512_loadu_si512(y + i);
        Mask in[P], any = 0;
#pragma GCC unroll 8
        for (int32_t p = 0; p < P; ++p) {
            in[p] = Avx512Codes<C>::inside(Mask(~Mask(0)), xs, low[p][0], reach_x);
            if (TWO) in[p] = Avx512Codes<C>::inside(in[p], ys, low[p][1], reach_y);
            any |= in[p];
        }
        if (__builtin_expect(any == 0, 1)) continue;
        for (int32_t p = 0; p < count; ++p)
            for (uint64_t each = in[p]; each; each &= each - 1)
                hits[found++] = uint32_t(i + __builtin_ctzll(each)) * PROBES_AT_ONCE + uint32_t(p);
    }
    return found;
}
template <class C, bool TWO>
inline int32_t scan_by_vectors(int32_t level, const C* x, const C* y, int32_t n, const CodeProbes<C>& probes,
                               int32_t count, uint32_t* hits) {
    if (level == 2)
        return count == 1  ? scan_by_64_bytes<C, TWO, 1>(x, y, n, probes, count, hits)
               : count < 5 ? scan_by_64_bytes<C, TWO, 4>(x, y, n, probes, count, hits)
                           : scan_by_64_bytes<C, TWO, 8>(x, y, n, probes, count, hits);
    return count == 1  ? scan_by_32_bytes<C, TWO, 1>(x, y, n, probes, count, hits)
           : count < 5 ? scan_by_32_bytes<C, TWO, 4>(x, y, n, probes, count, hits)
                       : scan_by_32_bytes<C, TWO, 8>(x, y, n, probes, count, hits);
}
#endif
// What this processor has: 2 for AVX-512, 1 for AVX2, 0 for none of them.
inline int32_t scan_level() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return 2;
    if (__builtin_cpu_supports("avx2")) return 1;
#endif
    return 0;
}
// `y`: nullptr where there is one column. `hits` has room for n * count. For each probe slots come in ascending order.
template <class C>
inline int32_t scan_codes(int32_t level, const C* x, const C* y, int32_t n, const CodeProbes<C>& probes, int32_t count,
                          uint32_t* hits) {
#if defined(__x86_64__)
    if (level > 0)
        return y ? scan_by_vectors<C, true>(level, x, y, n, probes, count, hits)
                 : scan_by_vectors<C, false>(level, x, x, n, probes, count, hits);
#endif
    return scan_by_one(x, y, n, probes, count, hits);
}
}

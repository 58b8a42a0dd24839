// The rows that fall into one partition, sixteen at a time. In C++ for the intrinsics; without them (`can_place_rows`)
// there is nothing to gain.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace streambench {
#if defined(__x86_64__)
inline bool can_place_rows() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt"); }
__attribute__((target("avx512f,popcnt"))) inline int32_t place_rows(const uint32_t* partition_of, int32_t n,
                                                                    uint32_t partition, uint32_t* to) {
    const __m512i wanted = _mm512_set1_epi32(int32_t(partition)), sixteen = _mm512_set1_epi32(16);
    __m512i rows = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int32_t placed = 0;
    for (int32_t i = 0; i < n; i += 16) {
        const __mmask16 there = n - i < 16 ? __mmask16((1u << (n - i)) - 1) : __mmask16(0xFFFF);
        const __m512i found = _mm512_maskz_loadu_epi32(there, partition_of + i);
        const __mmask16 hits = _mm512_mask_cmpeq_epi32_mask(there, found, wanted);
        _mm512_storeu_si512(to + placed, _mm512_maskz_compress_epi32(hits, rows));
        placed += _mm_popcnt_u32(hits);
        rows = _mm512_add_epi32(rows, sixteen);
    }
    return placed;
}
#else
inline bool can_place_rows() { return false; }
inline int32_t place_rows(const uint32_t*, int32_t, uint32_t, uint32_t*) { return 0; }
#endif
}

// A chunk of a cell, and which of its tuples pass a probe. In C++ for the alignment, and for SIMD that every x86-64
// has: what compilers make of the loop takes three times as long.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif
namespace streambench {
constexpr int32_t CHUNK = 16;
struct alignas(64) Chunk {
    uint32_t x[CHUNK];
    uint32_t y[CHUNK];
    uint32_t row[CHUNK];
    int64_t newest;
    Chunk* next;
    int32_t n;
};
static_assert(sizeof(Chunk) == 256);
// Bit i: the codes of tuple i are at most `reach` above `low`, modulo 2^32. Also for i of n and more, which are
// undefined.
inline uint32_t passing(const Chunk* chunk, uint32_t low_x, uint32_t reach_x, uint32_t low_y, uint32_t reach_y) {
#if defined(__x86_64__)
    constexpr uint32_t TOP = 0x80000000u;  // comparisons are signed
    const __m128i move_x = _mm_set1_epi32(int32_t(low_x + TOP)), most_x = _mm_set1_epi32(int32_t(reach_x + TOP));
    const __m128i move_y = _mm_set1_epi32(int32_t(low_y + TOP)), most_y = _mm_set1_epi32(int32_t(reach_y + TOP));
    __m128i outside[4];
    for (int32_t i = 0; i < 4; ++i) {
        const __m128i x = _mm_load_si128((const __m128i*)(chunk->x + 4 * i)),
                      y = _mm_load_si128((const __m128i*)(chunk->y + 4 * i));
        outside[i] = _mm_or_si128(_mm_cmpgt_epi32(_mm_sub_epi32(x, move_x), most_x),
                                  _mm_cmpgt_epi32(_mm_sub_epi32(y, move_y), most_y));
    }
    const __m128i all =
        _mm_packs_epi16(_mm_packs_epi32(outside[0], outside[1]), _mm_packs_epi32(outside[2], outside[3]));
    return ~uint32_t(_mm_movemask_epi8(all)) & 0xFFFFu;
#else
    uint32_t bits = 0;
    for (int32_t i = 0; i < CHUNK; ++i)
        bits |= uint32_t((chunk->x[i] - low_x <= reach_x) & (chunk->y[i] - low_y <= reach_y)) << i;
    return bits;
#endif
}
}

// A line of 16 cells, all compared at once; and the hash whose bits are in them. In C++ for SIMD that every x86-64 has, the product
// of 128 bits and the alignment.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif
namespace streambench {
constexpr int32_t LINE = 16;                        // cells
struct alignas(64) CellLine { uint32_t cell[LINE]; };
static_assert(sizeof(CellLine) == 64);
// Both halves of a product: each bit of the item reaches every bit of the hash, whatever the pattern of ids.
inline uint64_t hash_of_item(uint64_t item, uint64_t seed) {
    const unsigned __int128 product = (unsigned __int128)(item ^ seed) * 0xD6E8FEB86659FD93u;
    return uint64_t(product) ^ uint64_t(product >> 64);
}
// Bit i: cell i of the line is `wanted` in all bits of the mask.
inline uint32_t matching(const CellLine* line, uint32_t wanted, uint32_t mask) {
#if defined(__x86_64__)
    const __m128i* cells = (const __m128i*)line->cell;
    const __m128i same = _mm_set1_epi32(int32_t(wanted)), in = _mm_set1_epi32(int32_t(mask));
    __m128i found[4];
    for (int32_t i = 0; i < 4; ++i) found[i] = _mm_cmpeq_epi32(_mm_and_si128(cells[i], in), same);
    const __m128i all = _mm_packs_epi16(_mm_packs_epi32(found[0], found[1]), _mm_packs_epi32(found[2], found[3]));
    return uint32_t(_mm_movemask_epi8(all));
#else
    uint32_t bits = 0;
    for (int32_t i = 0; i < LINE; ++i) bits |= uint32_t((line->cell[i] & mask) == wanted) << i;
    return bits;
#endif
}
inline int32_t first_bit(uint32_t bits) { return __builtin_ctz(bits); }
}

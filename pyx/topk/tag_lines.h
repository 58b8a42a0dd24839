// The 16 tags of a bucket, all compared at once, and the hash whose bits they are. In C++ for SIMD that every x86-64
// has, and for the product of 128 bits.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif
namespace streambench {
constexpr int32_t CELLS = 16;  // of a bucket
struct alignas(16) Tags { uint8_t tag[CELLS]; };
// Both halves of a product: each bit of the item reaches every bit of the hash, whatever the pattern of ids.
inline uint64_t hash_of_item(uint64_t item, uint64_t seed) {
    const unsigned __int128 product = (unsigned __int128)(item ^ seed) * 0xD6E8FEB86659FD93u;
    return uint64_t(product) ^ uint64_t(product >> 64);
}
// Bit i: tag i of the bucket is this one.
inline uint32_t matching(const Tags* tags, uint8_t tag) {
#if defined(__x86_64__)
    return uint32_t(
        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128((const __m128i*)tags), _mm_set1_epi8(int8_t(tag)))));
#else
    uint32_t bits = 0;
    for (int32_t i = 0; i < CELLS; ++i) bits |= uint32_t(tags->tag[i] == tag) << i;
    return bits;
#endif
}
inline int32_t first_bit(uint32_t bits) { return __builtin_ctz(bits); }
}

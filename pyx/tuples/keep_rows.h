// Testing and copying values for filters. In C++ for the SIMD paths, chosen by the processor while it runs: a value of
// four bytes takes 0.1 ns to be tested and as much to be copied, where one by one takes four to ten times as long.
// Tests are written as loops that compilers make vectors of, but for one type of which they make poor ones.
#pragma once

#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
namespace streambench {
#define STREAMBENCH_INLINE __attribute__((always_inline)) inline
template <class T> STREAMBENCH_INLINE uint64_t within_of(const T* values, int32_t n, T first, T last) {
    uint8_t in[64] = {0};
    for (int32_t i = 0; i < n; ++i) in[i] = (values[i] >= first) & (values[i] <= last);
    uint64_t word = 0;
    for (int32_t j = 0; j < 8; ++j) {  // of eight bytes the lowest bits, side by side
        uint64_t eight;
        std::memcpy(&eight, in + 8 * j, 8);  // the first byte is the lowest: processors are little-endian
        word |= ((eight * 0x0102040810204080ull) >> 56) << (8 * j);
    }
    return word;
}
template <class T>
STREAMBENCH_INLINE void within_words(const T* values, int32_t n, T first, T last, uint64_t flip, uint64_t* words) {
    int32_t i = 0;
    for (; i + 64 <= n; i += 64) *words++ &= within_of(values + i, 64, first, last) ^ flip;
    if (i < n) *words &= within_of(values + i, n - i, first, last) ^ flip;
}
// Copy value i to the front of `to` where bit i of `words` is set; always written, counted if kept.
template <class T> STREAMBENCH_INLINE T* copy_by_one(const T* from, T* to, uint64_t word, int32_t i, int32_t n) {
    for (; i < n; ++i) {
        *to = from[i];
        to += (word >> (i & 63)) & 1;
    }
    return to;
}
template <class T> void copy_words_by_one(const T* from, T* to, const uint64_t* words, int32_t n) {
    for (int32_t i = 0; i < n; i += 64) to = copy_by_one(from, to, words[i / 64], i, i + 64 < n ? i + 64 : n);
}
#if defined(__x86_64__)
#define STREAMBENCH_AVX2 __attribute__((target("avx2,popcnt")))
#define STREAMBENCH_AVX512 __attribute__((target("avx512f,avx512bw,popcnt")))
template <class T>
STREAMBENCH_AVX2 void within_by_32_bytes(const T* values, int32_t n, T first, T last, uint64_t flip, uint64_t* words) {
    within_words(values, n, first, last, flip, words);
}
// What compilers make of this type takes three times as long.
template <>
STREAMBENCH_AVX2 inline void within_by_32_bytes(const int32_t* values, int32_t n, int32_t first, int32_t last,
                                                uint64_t flip, uint64_t* words) {
    const __m256i low = _mm256_set1_epi32(first), high = _mm256_set1_epi32(last);
    int32_t i = 0;
    for (; i + 64 <= n; i += 64) {
        uint64_t out = 0;
        for (int32_t j = 0; j < 64; j += 8) {
            const __m256i eight = _mm256_loadu_si256((const __m256i*)(values + i + j));
            const __m256i outside = _mm256_or_si256(_mm256_cmpgt_epi32(low, eight), _mm256_cmpgt_epi32(eight, high));
            out |= uint64_t(uint32_t(_mm256_movemask_ps(_mm256_castsi256_ps(outside)))) << j;
        }
        *words++ &= ~out ^ flip;
    }
    if (i < n) *words &= within_of(values + i, n - i, first, last) ^ flip;
}
struct Places { uint8_t of[256][8]; };  // of a byte's set bits, in ascending order
constexpr Places places_of_bits() {
    Places places{};
    for (int byte = 0; byte < 256; ++byte)
        for (int bit = 0, kept = 0; bit < 8; ++bit)
            if (byte >> bit & 1) places.of[byte][kept++] = uint8_t(bit);
    return places;
}
constexpr Places PLACES = places_of_bits();
STREAMBENCH_AVX2 inline __m128i places_of(unsigned byte) { return _mm_loadl_epi64((const __m128i*)PLACES.of[byte]); }
STREAMBENCH_AVX2 inline void move_eight(const int32_t* from, int32_t* to, unsigned byte) {
    const __m256i values = _mm256_loadu_si256((const __m256i*)from);
    _mm256_storeu_si256((__m256i*)to, _mm256_permutevar8x32_epi32(values, _mm256_cvtepu8_epi32(places_of(byte))));
}
STREAMBENCH_AVX2 inline void move_eight(const int64_t* from, int64_t* to, unsigned byte) {
    const __m256i low = _mm256_loadu_si256((const __m256i*)from), high = _mm256_loadu_si256((const __m256i*)(from + 4));
    const __m256i halves = _mm256_set1_epi64x(int64_t(1) << 32), low_place = _mm256_cvtepu8_epi64(places_of(byte & 15));
    const __m256i high_place = _mm256_cvtepu8_epi64(places_of(byte >> 4));
    // Eight bytes are moved as two times four: of place p those at 2p and 2p + 1.
    const __m256i a =
        _mm256_add_epi64(_mm256_or_si256(_mm256_slli_epi64(low_place, 1), _mm256_slli_epi64(low_place, 33)), halves);
    const __m256i b =
        _mm256_add_epi64(_mm256_or_si256(_mm256_slli_epi64(high_place, 1), _mm256_slli_epi64(high_place, 33)), halves);
    _mm256_storeu_si256((__m256i*)to, _mm256_permutevar8x32_epi32(low, a));
    _mm256_storeu_si256((__m256i*)(to + __builtin_popcount(byte & 15)), _mm256_permutevar8x32_epi32(high, b));
}
STREAMBENCH_AVX2 inline void move_eight(const int16_t* from, int16_t* to, unsigned byte) {
    const __m128i place = places_of(byte), twice = _mm_unpacklo_epi8(place, place);
    const __m128i bytes = _mm_add_epi8(_mm_add_epi8(twice, twice), _mm_set1_epi16(0x0100));
    _mm_storeu_si128((__m128i*)to, _mm_shuffle_epi8(_mm_loadu_si128((const __m128i*)from), bytes));
}
STREAMBENCH_AVX2 inline void move_eight(const int8_t* from, int8_t* to, unsigned byte) {
    _mm_storel_epi64((__m128i*)to, _mm_shuffle_epi8(_mm_loadl_epi64((const __m128i*)from), places_of(byte)));
}
template <class T> STREAMBENCH_AVX2 void copy_words_by_eight(const T* from, T* to, const uint64_t* words, int32_t n) {
    int32_t i = 0;  // a store of eight reaches no further than what has been read
    for (; i + 64 <= n; i += 64) {
        const uint64_t word = words[i / 64];
        for (int32_t j = 0; j < 64; j += 8)  // none waits for the one before: each counts its place from the word's
            move_eight(from + i + j, to + __builtin_popcountll(word & ((uint64_t(1) << j) - 1)),
                       unsigned(word >> j) & 255);
        to += __builtin_popcountll(word);
    }
    for (; i + 8 <= n; i += 8) {
        const unsigned byte = unsigned(words[i / 64] >> (i & 63)) & 255;
        move_eight(from + i, to, byte);
        to += __builtin_popcount(byte);
    }
    if (i < n) copy_by_one(from, to, words[i / 64], i, n);
}
STREAMBENCH_AVX512 inline void copy_words_by_64_bytes(const int32_t* from, int32_t* to, const uint64_t* words,
                                                      int32_t n) {
    int32_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __mmask16 keep = __mmask16(words[i / 64] >> (i & 63));
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(keep, _mm512_loadu_si512(from + i)));
        to += __builtin_popcount(keep);
    }
    for (; i < n; ++i) to = copy_by_one(from, to, words[i / 64], i, i + 1);
}
STREAMBENCH_AVX512 inline void copy_words_by_64_bytes(const int64_t* from, int64_t* to, const uint64_t* words,
                                                      int32_t n) {
    int32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __mmask8 keep = __mmask8(words[i / 64] >> (i & 63));
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(keep, _mm512_loadu_si512(from + i)));
        to += __builtin_popcount(keep);
    }
    if (i < n) copy_by_one(from, to, words[i / 64], i, n);
}
template <class T>
STREAMBENCH_AVX512 void within_by_64_bytes(const T* values, int32_t n, T first, T last, uint64_t flip,
                                           uint64_t* words) {
    within_words(values, n, first, last, flip, words);
}
inline int simd_level() {
    static const int level = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") ? 2
                             : __builtin_cpu_supports("avx2")                                        ? 1
                                                                                                     : 0;
    return level;
}
#endif
// Take out the rows whose values lie outside first to last, or with `flip` = ~0 those inside.
template <class T> void keep_between(const T* values, int32_t n, T first, T last, uint64_t flip, uint64_t* words) {
#if defined(__x86_64__)
    if (simd_level() == 2) return within_by_64_bytes(values, n, first, last, flip, words);
    if (simd_level() == 1) return within_by_32_bytes(values, n, first, last, flip, words);
#endif
    within_words(values, n, first, last, flip, words);
}
STREAMBENCH_INLINE int32_t count_bits(const uint64_t* words, int32_t n) {
    int32_t count = 0;
    for (int32_t i = 0; i < n; ++i) count += __builtin_popcountll(words[i]);
    return count;
}
#if defined(__x86_64__)
__attribute__((target("popcnt"))) inline int32_t count_by_word(const uint64_t* words, int32_t n) {
    return count_bits(words, n);
}
#endif
inline int32_t count_words(const uint64_t* words, int32_t n) {
#if defined(__x86_64__)
    if (simd_level() >= 1) return count_by_word(words, n);
#endif
    return count_bits(words, n);
}
// `by_one`: as on processors without SIMD.
inline void copy_words(const char* from, char* to, int32_t size, const uint64_t* words, int32_t n, bool by_one) {
#if defined(__x86_64__)
    if (!by_one && simd_level() == 2) {
        if (size == 4) return copy_words_by_64_bytes((const int32_t*)from, (int32_t*)to, words, n);
        if (size == 8) return copy_words_by_64_bytes((const int64_t*)from, (int64_t*)to, words, n);
    }
    if (!by_one && simd_level() >= 1) {
        if (size == 1) return copy_words_by_eight((const int8_t*)from, (int8_t*)to, words, n);
        if (size == 2) return copy_words_by_eight((const int16_t*)from, (int16_t*)to, words, n);
        if (size == 4) return copy_words_by_eight((const int32_t*)from, (int32_t*)to, words, n);
        if (size == 8) return copy_words_by_eight((const int64_t*)from, (int64_t*)to, words, n);
    }
#endif
    if (size == 1) return copy_words_by_one((const int8_t*)from, (int8_t*)to, words, n);
    if (size == 2) return copy_words_by_one((const int16_t*)from, (int16_t*)to, words, n);
    if (size == 4) return copy_words_by_one((const int32_t*)from, (int32_t*)to, words, n);
    if (size == 8) return copy_words_by_one((const int64_t*)from, (int64_t*)to, words, n);
    for (int32_t i = 0; i < n; ++i) {
        if (to != from + int64_t(i) * size) std::memcpy(to, from + int64_t(i) * size, size);
        to += (words[i / 64] >> (i & 63)) & 1 ? size : 0;
    }
}
}

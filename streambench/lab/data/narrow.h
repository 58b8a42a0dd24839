// Decoded columns in narrower types. In C++ for the loops' sake, which the compiler vectorises for each
// kind of processor; which it is, is asked while it runs. Every loop goes over all values and says at
// its end whether all were fit.
#pragma once

#include <cstdint>
#include <cstring>
namespace streambench {
#define STREAMBENCH_INLINE __attribute__((always_inline)) inline
// The highest bit is set where v is below 0 or above last; last is 0 or more.
STREAMBENCH_INLINE uint64_t beyond(uint64_t v, uint64_t last) { return v | (last - v); }

template <class From, class To> struct Narrow {  // 0 .. last
    const From* from;
    To* to;
    uint64_t last;
    STREAMBENCH_INLINE bool all(int64_t n) const {
        uint64_t unfit = 0;
        for (int64_t i = 0; i < n; ++i) {
            const uint64_t v = uint64_t(int64_t(from[i]));
            unfit |= beyond(v, last);
            to[i] = To(v);
        }
        return unfit >> 63 == 0;
    }
};
template <class From, class To> struct NarrowNulls {  // the same, or -1 where the bit of `valid` is not set
    const From* from;
    const uint8_t* valid;
    To* to;
    uint64_t last;
    STREAMBENCH_INLINE bool all(int64_t n) const {
        uint64_t unfit = 0;
        for (int64_t i = 0; i < n; i += 64) unfit |= block(from + i, valid + i / 8, to + i, n - i < 64 ? n - i : 64);
        return unfit >> 63 == 0;
    }
    STREAMBENCH_INLINE uint64_t block(const From* values, const uint8_t* bits, To* out, int64_t n) const {
        uint64_t set[64], unfit = 0, word = 0;
        // The first byte is the lowest: processors are little-endian.
        std::memcpy(&word, bits, n == 64 ? 8 : (n + 7) / 8);
        for (int64_t j = 0; j < 64; ++j) set[j] = -((word >> j) & 1);
        for (int64_t j = 0; j < n; ++j) {
            const uint64_t v = uint64_t(int64_t(values[j]));
            out[j] = To(v | ~set[j]);
            unfit |= beyond(v, last) & set[j];  // what stands where a null is means nothing
        }
        return unfit;
    }
};
template <class From, class To> struct Moments {  // seconds, of days and of seconds within them
    const From* days;
    const From* seconds;
    To* to;
    uint64_t last_day, last_second, last;
    STREAMBENCH_INLINE bool all(int64_t n) const {
        uint64_t unfit = 0;
        for (int64_t i = 0; i < n; ++i) {
            const uint64_t day = uint64_t(int64_t(days[i])), second = uint64_t(int64_t(seconds[i]));
            const uint64_t v = uint64_t(uint32_t(day)) * (last_second + 1) + second;
            unfit |= beyond(day, last_day) | beyond(second, last_second) | beyond(v, last);
            to[i] = To(v);
        }
        return unfit >> 63 == 0;
    }
};
template <class To> struct LowHalves {  // of numbers of 128 bits, -most .. most
    const int64_t* halves;
    To* to;
    uint64_t most;
    STREAMBENCH_INLINE bool all(int64_t n) const {
        uint64_t unfit = 0, high = 0;
        for (int64_t i = 0; i < n; ++i) {
            const uint64_t low = uint64_t(halves[2 * i]);
            high |= uint64_t(halves[2 * i + 1]) ^ -(low >> 63);
            unfit |= beyond(low + most, 2 * most);
            to[i] = To(low);
        }
        return (unfit >> 63 | high) == 0;
    }
};

#if defined(__x86_64__)
template <class Loop>
__attribute__((target("avx512f,avx512bw,avx512dq"))) inline bool by_64_bytes(const Loop& loop, int64_t n) {
    return loop.all(n);
}
template <class Loop> __attribute__((target("avx2"))) inline bool by_32_bytes(const Loop& loop, int64_t n) {
    return loop.all(n);
}
#endif
template <class Loop> inline bool run(const Loop& loop, int64_t n) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return by_64_bytes(loop, n);
    if (__builtin_cpu_supports("avx2")) return by_32_bytes(loop, n);
#endif
    return loop.all(n);
}
// A value that fits has the same bits whether its type has a sign: so types differ by their size alone.
template <class From, class To>
inline bool narrow_to(const void* from, const uint8_t* valid, void* to, int64_t n, int64_t last) {
    if (valid) return run(NarrowNulls<From, To>{(const From*)from, valid, (To*)to, uint64_t(last)}, n);
    return run(Narrow<From, To>{(const From*)from, (To*)to, uint64_t(last)}, n);
}
template <class From>
inline bool narrow_from(const void* from, const uint8_t* valid, void* to, int32_t size, int64_t n, int64_t last) {
    switch (size) {
        case 1: return narrow_to<From, int8_t>(from, valid, to, n, last);
        case 2: return narrow_to<From, int16_t>(from, valid, to, n, last);
        case 4: return narrow_to<From, int32_t>(from, valid, to, n, last);
        default: return narrow_to<From, int64_t>(from, valid, to, n, last);
    }
}
template <class From>
inline bool moments_from(const void* days, const void* seconds, void* to, int32_t size, int64_t n, int64_t last_day,
                         int64_t last_second, int64_t last) {
    const auto d = (const From*)days, s = (const From*)seconds;
    if (size == 4)
        return run(
            Moments<From, int32_t>{d, s, (int32_t*)to, uint64_t(last_day), uint64_t(last_second), uint64_t(last)}, n);
    return run(Moments<From, int64_t>{d, s, (int64_t*)to, uint64_t(last_day), uint64_t(last_second), uint64_t(last)},
               n);
}
inline bool low_halves(const void* halves, void* to, int32_t size, int64_t n, int64_t most) {
    if (size == 4) return run(LowHalves<int32_t>{(const int64_t*)halves, (int32_t*)to, uint64_t(most)}, n);
    return run(LowHalves<int64_t>{(const int64_t*)halves, (int64_t*)to, uint64_t(most)}, n);
}
#undef STREAMBENCH_INLINE
}

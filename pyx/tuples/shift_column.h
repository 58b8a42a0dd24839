// A column of integers, shifted. In C++ for the loop's sake, which the compiler vectorises for each kind of processor;
// which it is, is asked while it runs.
#pragma once

#include <cstdint>

namespace streambench {
template <class T>
__attribute__((always_inline)) inline void shift_all(const T* from, T* to, int64_t n, int64_t shift) {
    for (int64_t i = 0; i < n; ++i) to[i] = T(from[i] + (from[i] < T(0) ? T(0) : T(shift)));
}
#if defined(__x86_64__)
template <class T>
__attribute__((target("avx512f,avx512bw"))) inline void shift_by_64_bytes(const T* from, T* to, int64_t n,
                                                                          int64_t shift) {
    shift_all(from, to, n, shift);
}
template <class T>
__attribute__((target("avx2"))) inline void shift_by_32_bytes(const T* from, T* to, int64_t n, int64_t shift) {
    shift_all(from, to, n, shift);
}
#endif
template <class T> inline void shift_column(const T* from, T* to, int64_t n, int64_t shift) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        return shift_by_64_bytes(from, to, n, shift);
    if (__builtin_cpu_supports("avx2")) return shift_by_32_bytes(from, to, n, shift);
#endif
    shift_all(from, to, n, shift);
}
}

// How keys are spread over partitions. In C++ for the sake of whole columns: the compiler vectorises them for each kind
// of processor; which it is, is asked while it runs.
#pragma once

#include <cstdint>

namespace streambench {
__attribute__((always_inline)) inline int32_t partition_by_hash(int64_t key, int32_t partitions) {
    // Not the multiplier of the hash tables behind it: equal high bits there would fill one part of each table only.
    uint64_t mixed = uint64_t(key);
    mixed ^= mixed >> 32;
    mixed *= 0xD6E8FEB86659FD93u;
    mixed ^= mixed >> 32;
    return int32_t(((mixed & 0xFFFFFFFFu) * uint64_t(uint32_t(partitions))) >> 32);
}
__attribute__((always_inline)) inline void hash_all(const int64_t* keys, uint32_t* to, int64_t n, int32_t partitions) {
    for (int64_t i = 0; i < n; ++i) to[i] = uint32_t(partition_by_hash(keys[i], partitions));
}
#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq"))) inline void hash_by_eight(const int64_t* keys, uint32_t* to, int64_t n,
                                                                      int32_t partitions) {
    hash_all(keys, to, n, partitions);
}
__attribute__((target("avx2"))) inline void hash_by_four(const int64_t* keys, uint32_t* to, int64_t n,
                                                         int32_t partitions) {
    hash_all(keys, to, n, partitions);
}
#endif
inline void partition_column(const int64_t* keys, uint32_t* to, int64_t n, int32_t partitions) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512dq")) return hash_by_eight(keys, to, n, partitions);
    if (__builtin_cpu_supports("avx2")) return hash_by_four(keys, to, n, partitions);
#endif
    hash_all(keys, to, n, partitions);
}
}

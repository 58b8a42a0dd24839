"""How keys are spread over partitions."""

from libc.stdint cimport int32_t, int64_t, uint64_t

cdef inline int32_t partition_by_hash(int64_t key, int32_t partitions) noexcept nogil:
    # Not the multiplier of the hash tables behind it: equal high bits there would fill one part of each table only.
    cdef uint64_t mixed = <uint64_t>key
    mixed ^= mixed >> 32
    mixed *= <uint64_t>0xD6E8FEB86659FD93
    mixed ^= mixed >> 32
    return <int32_t>(((mixed & <uint64_t>0xFFFFFFFF) * <uint64_t>partitions) >> 32)

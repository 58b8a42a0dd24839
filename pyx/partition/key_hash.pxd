"""How keys are spread over partitions."""

from libc.stdint cimport int32_t, int64_t, uint32_t

cdef extern from "key_hash.h":
    int32_t partition_by_hash "streambench::partition_by_hash"(int64_t key, int32_t partitions) noexcept nogil
    void partition_column "streambench::partition_column"(const int64_t* keys, uint32_t* to, int64_t n,
                                                          int32_t partitions) noexcept nogil

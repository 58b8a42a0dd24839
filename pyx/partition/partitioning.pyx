"""Hash and range partitioning (paper 000, sections 2.1 and 4)."""

from libc.stdint cimport uint64_t
from libcpp.algorithm cimport upper_bound
from streambench.pyx.partition.key_hash cimport partition_by_hash, partition_column

cdef enum:
    MANY = 16                   # keys: of fewer, asking for the kind of processor takes longer than what is won

cdef extern from *:
    """
    #include <cstdint>
    namespace streambench {
    // The high half of a 64-bit product: Cython has no 128-bit integers.
    inline int32_t scale(uint64_t fraction, uint64_t range, uint64_t parts) {
        return int32_t((unsigned __int128)(fraction) * parts / range);
    }
    }
    """
    int32_t scale "streambench::scale"(uint64_t fraction, uint64_t range, uint64_t parts) noexcept nogil


cdef class Partitioning:
    """Maps keys to ``partitions`` partitions: by hash, by equal ranges of [low, high), or by ranges that begin at
    ``bounds``, all but the first."""

    def __cinit__(self, int32_t partitions, bint by_range=False, int64_t low=0, int64_t high=0, bounds=()):
        if partitions < 1:
            raise ValueError(f"partitions must be at least 1, not {partitions}")
        if by_range and high <= low:
            raise ValueError(f"range partitioning needs keys from low to high: [{low}, {high}) is empty")
        if len(bounds) not in (0, partitions - 1) or list(bounds) != sorted(bounds):
            raise ValueError(f"{partitions} ranges have {partitions - 1} ascending keys between them, not {bounds}")
        self.partitions = partitions
        self.by_range = by_range
        self.low = low
        self.high = high
        self.bounds = bounds

    cdef int32_t partition(self, int64_t key) noexcept nogil:
        if not self.by_range:
            return partition_by_hash(key, self.partitions)
        if not self.bounds.empty():
            return <int32_t>(upper_bound(self.bounds.begin(), self.bounds.end(), key) - self.bounds.begin())
        if key < self.low:
            return 0
        if key >= self.high:
            return self.partitions - 1
        return scale(<uint64_t>(key - self.low), <uint64_t>(self.high - self.low), self.partitions)

    def of(self, int64_t key) -> int:
        """Return the partition of a key."""
        return self.partition(key)

    cdef void partition_all(self, const int64_t* keys, uint32_t* to, int32_t n) noexcept nogil:
        """The partitions of ``n`` keys."""
        cdef int32_t k
        if not self.by_range and n >= MANY:
            partition_column(keys, to, n, self.partitions)
            return
        for k in range(n):
            to[k] = <uint32_t>self.partition(keys[k])

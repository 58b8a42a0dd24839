"""Checksums of states: at the speed of memory, against damage, not against malice."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

cdef enum:
    LANES = 4

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15


def checksum(const unsigned char[::1] data) -> int:
    """Of these bytes and their number, 64 bits. Without the GIL."""
    cdef uint64_t sum
    if data.shape[0] == 0:
        return 0
    with nogil:
        sum = checksum_of(&data[0], <size_t>data.shape[0])
    return sum


cdef uint64_t checksum_of(const unsigned char* data, size_t size) noexcept nogil:
    """Words in turn to lanes, which need not wait for each other."""
    cdef uint64_t lane[LANES]
    cdef uint64_t word, sum = size
    cdef size_t at = 0
    cdef int k
    for k in range(LANES):
        lane[k] = FACTOR + k
    while at + LANES * 8 <= size:
        for k in range(LANES):
            memcpy(&word, data + at + 8 * k, 8)
            lane[k] = (lane[k] ^ word) * FACTOR
            lane[k] ^= lane[k] >> 32
        at += LANES * 8
    while at < size:
        lane[0] = (lane[0] ^ data[at]) * FACTOR
        lane[0] ^= lane[0] >> 32
        at += 1
    for k in range(LANES):
        sum = (sum ^ lane[k]) * FACTOR
        sum ^= sum >> 29
    return sum

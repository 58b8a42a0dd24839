"""The numbers of the rows that fall into one partition: a pass over them per partition, sixteen rows at a time.

A counting sort reads and writes one counter per row; with few partitions each row waits for the one before it.
"""

from libc.stdint cimport int32_t, uint32_t

cdef enum:
    PLACED_AT_ONCE = 16         # rows: so many are written, whatever there are, so the
                                # memory must reach so much further
    MOST_PASSES = 24            # partitions, up to which passes are faster

cdef extern from "place_rows.h":
    bint can_place_rows "streambench::can_place_rows"() noexcept nogil
    # Returns how many; those of the partition come in order, and up to PLACED_AT_ONCE numbers behind them mean nothing.
    int32_t place_rows "streambench::place_rows"(const uint32_t* partition_of, int32_t n, uint32_t partition,
                                                 uint32_t* to) noexcept nogil

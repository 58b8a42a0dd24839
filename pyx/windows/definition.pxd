"""What windows there are and what is computed of each, as the loops read it."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.tuples.layout cimport MAX_COLUMNS

cdef enum:
    MOST_KEY_WORDS = 32                 # 256 bytes
    HEADER_WORDS = 4                    # of a row's `Header`
    MOST_SUMS = 8                       # see `sums_alone`

cdef enum Shape:
    TUMBLING                            # [start, start + size) from every multiple of `size`
    SLIDING                             # the same from every multiple of `step`
    SESSION                             # a key's tuples that follow each other by less than `size`
    COUNTED                             # a key's tuples number k * step to k * step + size - 1

cdef enum Kind:
    ROWS                                # of all tuples: the cells' first word; the others leave out nulls
    COUNT
    SUM
    MEAN
    VAR
    MIN
    MAX
    FIRST
    LAST
    OWN                                 # of functions that the user has given
    DISTINCT                            # from here on of all values, which are kept
    QUANTILE
    TOP_K
    HYPERLOGLOG                         # DISTINCT in bounded memory, see `sketches`
    SPACE_SAVING                        # TOP_K likewise

cdef struct Input:
    # A column that is aggregated.
    int32_t column                      # its place among those given
    bint floating                       # then NaN is null
    bint has_null
    int64_t null                        # of integers

cdef struct Aggregate:
    int32_t kind
    int32_t input                       # its place among the inputs
    bint floating                       # values are doubles
    int32_t at                          # its first word in a window's cells
    int32_t column                      # the first one of its own that is emitted
    double parameter                    # of VAR the degrees of freedom that are lost, of QUANTILE the share
    int32_t k                           # of TOP_K and SPACE_SAVING
    int32_t precision                   # of HYPERLOGLOG: the logarithm of the number of registers
    int32_t counters                    # of SPACE_SAVING
    int64_t null                        # what is emitted where there is no value: an integer
    void* add                           # of OWN, see `cells`
    void* merge
    void* result
    bint emits_floats

cdef struct Definition:
    int32_t shape
    int64_t size                        # of SESSION the gap
    int64_t step
    int64_t origin                      # windows begin at it and at multiples before and behind it
    bint fill                           # windows without a tuple are emitted
    int32_t time                        # its column; -1: none
    int32_t n_keys                      # columns
    int32_t key_column[MAX_COLUMNS]
    int32_t key_words                   # of all of them
    int32_t header                      # words of a row before its key, see `rows`
    int32_t cells                       # the first word behind the key
    int32_t cell_words                  # the first one counts tuples
    bint keeps_values                   # some aggregate does
    bint sums_alone                     # cells are sums of integers without nulls, in the order of these aggregates
    bint inverts                        # all cells are sums of integers: what was added can be subtracted again
    int32_t n_inputs
    Input inputs[MAX_COLUMNS]
    int32_t n_aggregates
    Aggregate aggregates[MAX_COLUMNS]

cdef class WindowDefinition:
    cdef Definition definition
    cdef list kept                      # what holds the code of users' functions

cdef int32_t words_of(int32_t kind) noexcept nogil

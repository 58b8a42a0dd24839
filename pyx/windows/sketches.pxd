"""Distinct and most frequent values in bounded memory."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector
from streambench.pyx.windows.definition cimport Aggregate

cdef extern from *:
    """
    #include <bit>
    namespace streambench {
    inline int64_t word_of(double value) { return std::bit_cast<int64_t>(value); }
    inline double double_of(int64_t word) { return std::bit_cast<double>(word); }
    }
    """
    int64_t word_of "streambench::word_of"(double value) noexcept nogil
    double double_of "streambench::double_of"(int64_t word) noexcept nogil

cdef enum:
    SKETCHED = -1                       # a cell's third word where it keeps a sketch

cdef struct Run:
    # Equal values.
    int64_t value
    int64_t count

cdef cppclass Gathered:
    # What a window's panes have kept: values, registers, and counted values, which ascend and miss `floor` at most.
    vector[int64_t] values
    vector[uint8_t] registers
    vector[Run] runs
    int64_t floor

cdef void clear_gathered(Gathered& all) noexcept nogil
cdef size_t sketch_bytes(const Aggregate* one) noexcept nogil
cdef void keep_value(int64_t* cell, int64_t word) noexcept nogil
cdef void sketch_value(const Aggregate* one, int64_t* cell, int64_t word) noexcept nogil
cdef void gather_cell(const Aggregate* one, const int64_t* cell, Gathered& into) noexcept nogil
cdef void sort_values(const Aggregate* one, vector[int64_t]& values) noexcept nogil
cdef void count_runs(const Aggregate* one, const vector[int64_t]& values, vector[Run]& runs) noexcept nogil
cdef void count_gathered(const Aggregate* one, Gathered& all) noexcept nogil
cdef int64_t estimate_distinct(const Aggregate* one, Gathered& all) noexcept nogil

cdef inline bint differ(const Aggregate* one, int64_t word, int64_t other) noexcept nogil:
    return double_of(word) != double_of(other) if one.floating else word != other

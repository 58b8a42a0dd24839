"""The values of a column of integers, shifted from lap to lap; nulls (-1) stay what they are."""

from libc.stdint cimport int64_t

cdef extern from "shift_column.h":
    void shift_column "streambench::shift_column"[T](const T* source, T* to, int64_t n, int64_t shift) noexcept nogil

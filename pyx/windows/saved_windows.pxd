"""Open windows as words, and back."""

from libc.stdint cimport int64_t
from libcpp.vector cimport vector
from streambench.pyx.windows.open_windows cimport OpenWindows

cdef int64_t save_windows(const vector[OpenWindows]& windows, int64_t* to) noexcept nogil
cdef void restore_windows(const int64_t* words, vector[OpenWindows]& windows) noexcept nogil

"""From the windows of all partitions to one set of windows, and back."""

from libcpp.vector cimport vector
from streambench.pyx.windows.open_windows cimport OpenWindows

cdef void join_windows(vector[OpenWindows]& windows) noexcept nogil
cdef void divide_windows(vector[OpenWindows]& windows) noexcept nogil

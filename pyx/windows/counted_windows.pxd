"""Windows of so many tuples of a key."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.windows.cells cimport Block
from streambench.pyx.windows.open_windows cimport OpenWindows

cdef void take_counted(OpenWindows* windows, Block* block, int32_t i, const int64_t* key, Columns* out) noexcept nogil
cdef void close_counted(OpenWindows* windows, Columns* out) noexcept nogil

"""Why functions refused tuples."""

cdef class Reasons:
    cdef list kept
    cdef const char* keep(self, str text) except NULL

cdef str told(error)

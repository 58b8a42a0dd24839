"""Why functions refused tuples."""

cdef class Reasons:
    cdef list kept
    cdef dict causes                    # exceptions, by where their text is
    cdef const char* keep(self, str text, object cause) except NULL
    cdef object cause(self, size_t reason)

cdef str told(error)

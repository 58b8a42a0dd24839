"""The base of user-written predicates."""


cdef class Predicate:
    """Extend it in Cython: ``__init__`` sets ``left`` and ``right``, ``holds`` compares a row of one with a row of the other.

    Several threads call ``holds`` at the same time: it must change nothing. Columns have the types they are given with.
    """

    def __init__(self):
        self.left = self.right = ()

    cdef bint holds(self, Columns* left, int64_t left_row, Columns* right, int64_t right_row) noexcept nogil:
        return True

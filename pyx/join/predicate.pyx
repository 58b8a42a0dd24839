"""The base of user-written predicates."""

import numpy as np

from streambench.pyx.tuples.layout import type_named


cdef class Predicate:
    """Extend it in Cython: ``__init__`` sets ``left`` and ``right``, ``holds`` compares a row of
    one with a row of the other.

    ``left``, ``right``: the columns that ``holds`` reads of that side, in the order it finds them in. A name alone is
    an int64 column's; ``("x", "int32")`` is one of another type. A join refuses columns of other types than these.

    Several threads call ``holds`` at the same time: it must change nothing.
    """

    def __cinit__(self, *args, **kwargs):
        self.left = self.right = ()

    @property
    def reads(self) -> tuple:
        """By side, the name and the type of each column that it reads. Raises ValueError where
        they are declared otherwise."""
        return tuple(tuple(self._declared(each) for each in side) for side in (self.left, self.right))

    def _declared(self, column):
        pair = (column, "int64") if isinstance(column, str) else column
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[1], (str, np.dtype)):
            raise ValueError(
                f"predicate {type(self).__name__} declares {column!r}: a column is a name, or (name, type)"
            )
        try:
            return pair[0], type_named(pair[1])
        except TypeError as error:
            raise ValueError(f"predicate {type(self).__name__} declares {column!r}: {error}") from None

    cdef bint holds(self, Columns* left, int64_t left_row, Columns* right, int64_t right_row) noexcept nogil:
        return True

"""The definition of a join, whatever way it is computed."""

from libc.string cimport memset
from streambench.pyx.join.ready_batch cimport COUNT, EXACT, MOST_READY, THREE_STEP, pairs_in_windows, widest_windows
from streambench.pyx.join.terms cimport (
    DOUBLE, EQUAL, MOST_TERMS, SINGLE, WHOLE, Term, choose_filters, set_codes, trust_codes,
)
from streambench.pyx.tuples.layout cimport layout_of

import numpy as np

from streambench.pyx.join.stream_sides import SIDES
from streambench.pyx.tuples.errors import UnfitOptionError, UnfitTypeError
from streambench.pyx.tuples.whole_number import is_number, whole_number

FLOAT32_MAX = float(np.finfo(np.float32).max)
WIDEST = 1e300                          # of a band of floating point numbers
RULES = {"exact": EXACT, "three-step": THREE_STEP, "count": COUNT}


cdef class Definition:
    """Pairs of ``left_ts`` and ``right_ts``, int64 arrays that never decrease, by ``rule`` and ``window``.

    ``terms``: (left, right, width), where the arrays have one type, int64, float32 or float64, and an entry for each
    row; width is None for equality, of int64, else a band's, at least 0 and for floats at most 1e300. ``exact``: the
    timestamps differ by ``window`` at most. ``three-step``: the paper's procedure (001, section II), which a tuple
    leaves only when a later one of its own side comes. ``count``: the other side's last ``window`` tuples.
    ``predicate``: a ``Predicate``, with ``left_columns`` and ``right_columns``, the arrays that it reads, of the
    types that it declares. ``compared_from``: so many tuples come first that are stored and not compared, so that a
    join begins with full windows.
    """

    def __init__(self, left_ts, right_ts, terms, window, rule="exact", Predicate predicate=None,
                 left_columns=(), right_columns=(), *, int64_t compared_from=0):
        cdef int32_t side
        if len(terms) > MOST_TERMS:
            raise UnfitOptionError(f"{len(terms)} bands and equalities: at most {MOST_TERMS} are possible")
        if rule not in list(RULES):
            raise UnfitOptionError(f"there is no rule {rule!r}: choose from {', '.join(RULES)}")
        window = whole_number("window", window, 0)
        if not 0 <= compared_from <= len(left_ts) + len(right_ts):
            raise UnfitOptionError(
                f"of {len(left_ts) + len(right_ts)} tuples none is compared before the one after {compared_from}"
            )
        self.kept = []
        for side, ts in enumerate((left_ts, right_ts)):
            self.streams.ts[side] = <const int64_t*>self.keep(ts, np.int64)
            self.streams.rows[side] = len(ts)
        self.streams.rule = RULES[rule]
        self.streams.window = window
        self.streams.compared_from = compared_from
        for left, right, width in terms:
            self.add_term(left, right, width)
        choose_filters(&self.terms)
        self.predicate = predicate
        self.has_predicate = predicate is not None
        memset(self.columns, 0, sizeof(self.columns))
        for side, columns in enumerate((left_columns, right_columns)):
            self.require_declared(side, columns)
            self.columns[side].width = <int32_t>len(columns)
            self.columns[side].layout = layout_of(tuple(each.dtype for each in columns))
            for k, each in enumerate(columns):
                self.columns[side].column[k] = <int64_t*>self.keep(each, each.dtype)
        widest_windows(&self.streams, self.widest)

    @property
    def filters(self) -> int:
        """How many of the terms, at most two, are looked at first; 0 where there is no term."""
        return self.terms.filters

    @property
    def largest_window(self) -> int:
        """The most rows of a side that are in the window at a time."""
        return max(self.widest[0], self.widest[1])

    @property
    def batch(self) -> int:
        """How many tuples are taken at a time: in a batch they are compared with all of the others, windows or not, so
        that these should not be much more than their windows hold."""
        return min(MOST_READY, max(16, self.largest_window // 4))

    @property
    def pairs(self) -> int:
        """How many pairs are in one window: what a scan compares."""
        return pairs_in_windows(&self.streams)

    cdef size_t keep(self, array, dtype) except? 0:
        """The address of an array, which is kept as long as this."""
        if (not isinstance(array, np.ndarray) or array.dtype != dtype or not array.flags.c_contiguous
                or not array.flags.aligned):
            raise UnfitTypeError(f"an array of {np.dtype(dtype).name} values one behind the other is wanted")
        self.kept.append(array)
        return array.ctypes.data

    cdef int require_declared(self, int32_t side, columns) except -1:
        """The predicate reads memory as it declares: refuse arrays that are not so."""
        reads = () if self.predicate is None else self.predicate.reads[side]
        if len(columns) != len(reads):
            raise UnfitOptionError(
                f"the predicate reads {len(reads)} columns of the {SIDES[side]} side, but {len(columns)} are given"
            )
        for (name, declared), column in zip(reads, columns):
            if column.dtype != declared:
                raise UnfitTypeError(
                    f"column {name} of the {SIDES[side]} side holds {column.dtype.name}, but predicate "
                    f"{type(self.predicate).__name__} declares it as {declared.name}: convert the column, or "
                    "declare its type")
            if len(column) != self.streams.rows[side]:
                raise UnfitOptionError(
                    f"column {name} has {len(column)} values, but its side {self.streams.rows[side]} rows"
                )
        return 0

    cdef int add_term(self, left, right, width) except -1:
        cdef Term* term = &self.terms.term[self.terms.n]
        cdef int32_t side
        kinds = {"int64": EQUAL if width is None else WHOLE, "float32": SINGLE, "float64": DOUBLE}
        for side, each in enumerate((left, right)):
            if (not isinstance(each, np.ndarray) or each.dtype.name not in kinds or each.dtype != left.dtype
                    or len(each) != self.streams.rows[side]):
                raise UnfitTypeError(
                    "a term takes two arrays of one type, int64, float32 or float64, with an entry for each row"
                )
            term.column[side] = <const void*>self.keep(each, each.dtype)
        term.kind = kinds[left.dtype.name]
        if term.kind == WHOLE:
            width = whole_number("a band's width", width, 0)
        elif term.kind != EQUAL and not (is_number(width) and 0 <= width <= WIDEST):
            raise UnfitOptionError(f"a band's width must be a number from 0 to {WIDEST}, not {width!r}")
        if term.kind == WHOLE:
            term.width = width
        elif term.kind != EQUAL:
            # Of float32 columns the width is one, too; nothing that is finite differs by more than the largest.
            term.real = float(np.float32(min(width, FLOAT32_MAX))) if term.kind == SINGLE else width
        set_codes(term)
        if len(left) and len(right):    # where one is not a number, neither is the least: nothing is trusted then
            trust_codes(term, np.minimum(left.min(), right.min()), np.maximum(left.max(), right.max()))
        self.terms.n += 1
        return 0

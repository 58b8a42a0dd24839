"""Neighbouring operators as one loop: a pass over a unit's rows instead of one for each of
them, and no columns in between.

Operators stay what they are, each at its place in the pipeline. A Fused stands beside them, and takes a unit where one
worker has all of them to call, one after the other. It takes a unit as a whole or leaves it: then they are called one
by one. So what is rare need not be written twice: refused tuples, wide types, whatever a loop would rather not do.
"""

from streambench.pyx.tuples.columns cimport reset_after, widen
from streambench.pyx.tuples.operator cimport Operator, PartitionedStateful
from streambench.pyx.tuples.unit cimport swap


cdef class Fused:
    """``operators``: those that it stands for, neighbours in this order, prepared for a
    run. It works on their state."""

    def __init__(self, tuple operators):
        cdef Operator last = operators[len(operators) - 1]
        self.operators = operators
        self.in_place = all([(<Operator>each).in_place for each in operators])
        self.emitted_width = last.emitted_width
        self.layout = last.layout

    cdef bint process(self, Columns* rows, Columns* out, int64_t* counts) noexcept nogil:
        """Do to the rows, of which there are some, what the operators would do one after the other; or return False.

        Then the rows and all state must be as they were; what is in ``out`` does not matter. ``given[k]``, for each but
        the first: the rows that the k-th operator would have been given. ``out`` as for an operator; in place it is
        ``rows``, with the columns of all operators appended.
        """
        return False


cdef class Fusions:
    """The Fused of a pipeline: those that its operators offer by ``fused_behind``, the last operator's first.

    One with a keyed operator is for workers that have a unit for all of its operators. For the others there are those
    of the operators before that one, and of those behind it.

    ``operators``: source, operators, sink, prepared. ``apart``: places of those that are not called with whole units.
    Raises ValueError where an operator offers what does not stand before it.
    """

    def __init__(self, list operators, list apart):
        cdef int32_t k
        for k in range(MAX_OPERATORS):
            self.longest[k] = -1
        self.kept = []
        self.find(operators, apart, 1, <int32_t>len(operators))

    cdef find(self, list operators, list apart, int32_t begin, int32_t end):
        """Ask the operators ``begin`` .. ``end`` - 1."""
        cdef int32_t first, place
        cdef Fused fused
        while end > begin:
            fused = operators[end - 1].fused_behind(tuple(reversed(operators[begin : end - 1])))
            if fused is None:
                end -= 1
                continue
            first = end - <int32_t>len(fused.operators)
            if first < begin or any([one is not other for one, other in zip(fused.operators, operators[first:end])]):
                raise ValueError(
                    f"operator {operators[end - 1].name} offers to be fused with operators that are not before it"
                )
            for place in range(first, end):
                if isinstance(operators[place], PartitionedStateful):
                    self.find(operators, apart, first, place)
                    self.find(operators, apart, place + 1, end)
                    break
            if not any([first <= place < end for place in apart]):
                self.keep(fused, first, end)
            end = first

    cdef keep(self, Fused fused, int32_t first, int32_t end):
        """Of those that begin at one place the longest is kept last."""
        self.kept.append(fused)
        self.at.push_back(<void*>fused)
        self.end.push_back(end)
        self.shorter.push_back(self.longest[first])
        self.longest[first] = <int32_t>len(self.kept) - 1

    cdef int32_t apply(self, int32_t place, int32_t end, Unit* unit, int64_t* counts) noexcept nogil:
        """Have ``unit.now`` taken by the longest Fused that begins at ``place`` and ends
        before ``end``, if there is one.

        Returns the place of the next operator to call: ``place``, if that is still to be done. ``counts``: what each of
        the Fused's operators has been given.
        """
        cdef Columns* rows = unit.now
        cdef Columns* out = unit.spare
        cdef LayoutPointer layout = rows.layout
        cdef int32_t width = rows.width, loop = fused_from(self, place, end), k
        if loop < 0 or rows.n == 0:
            return place
        counts[0] = rows.n
        if (<Fused>self.at[loop]).in_place:
            widen(rows, (<Fused>self.at[loop]).emitted_width, (<Fused>self.at[loop]).layout)
            out = rows
        else:
            reset_after(out, rows, (<Fused>self.at[loop]).emitted_width, (<Fused>self.at[loop]).layout)
        if not (<Fused>self.at[loop]).process(rows, out, counts):
            rows.width = width
            rows.layout = layout
            return place
        for k in range(place, self.end[loop]):
            unit.tuples_in[k] += counts[k - place]       # pieces before may have gone through them
        if out is not rows:
            swap(unit)
        return self.end[loop]

"""A window's cells: what its aggregates have of its tuples, 64-bit words that are all zero at first.

Aggregates of all values (``DISTINCT`` and what follows it) keep these: exact, in memory by the window's tuples, or as
``sketches``. All others are of constant size, and ``merge`` makes those of two runs of tuples one behind the other
into those of both. The first word counts tuples: whoever finds the cells counts there.
"""

from libc.math cimport NAN
from libc.stdint cimport uint64_t
from libc.stdlib cimport free
from libcpp.algorithm cimport nth_element
from libcpp.vector cimport vector
from streambench.pyx.tuples.columns cimport put_integer
from streambench.pyx.tuples.layout cimport FLOAT32, FLOAT64, INT64, type_of
from streambench.pyx.windows.definition cimport (
    COUNT, DISTINCT, FIRST, HYPERLOGLOG, LAST, MAX, MEAN, MIN, OWN, QUANTILE, ROWS, SUM, VAR, Input,
)
from streambench.pyx.windows.ordered_words cimport read_integers
from streambench.pyx.windows.sketches cimport (
    Run, count_gathered, double_of, estimate_distinct, keep_value, sketch_value, word_of,
)

cdef extern from *:
    """
    namespace streambench {
    // Sums wrap at 64 bits, as integers of functions do.
    inline int64_t wrapping_sum(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
    }
    """
    int64_t wrapping_sum "streambench::wrapping_sum"(int64_t a, int64_t b) noexcept nogil

# What users' functions are, of a state, which is an aggregate's cell.
ctypedef void (*AddInteger)(int64_t* state, int64_t value) noexcept nogil
ctypedef void (*AddFloat)(int64_t* state, double value) noexcept nogil
ctypedef void (*MergeStates)(int64_t* state, const int64_t* later) noexcept nogil
ctypedef int64_t (*IntegerResult)(const int64_t* state) noexcept nogil
ctypedef double (*FloatResult)(const int64_t* state) noexcept nogil

cdef inline bint less_double(const int64_t& a, const int64_t& b) noexcept nogil:
    return double_of(a) < double_of(b)


cdef void read_values(const Definition* definition, Columns* rows, bint consecutive, Block* block) noexcept nogil:
    """The values of the block's rows, of all inputs. ``consecutive``: the rows are."""
    cdef int32_t k, i, column, type
    cdef int64_t* to
    cdef void* values
    for k in range(definition.n_inputs):
        column = definition.inputs[k].column
        type = type_of(rows.layout, column)
        to = block.room[k]
        block.value[k] = to
        values = rows.column[column]
        if consecutive and (type == INT64 or type == FLOAT64):
            block.value[k] = <const int64_t*>values + block.row[0]
        elif type == FLOAT64:
            for i in range(block.n):
                to[i] = (<const int64_t*>values)[block.row[i]]
        elif type == FLOAT32:
            for i in range(block.n):
                to[i] = word_of((<const float*>values)[block.row[i]])
        else:
            read_integers(rows, column, block.row, block.n, to, 1)


cdef inline bint is_null(const Input* input, int64_t word) noexcept nogil:
    cdef double value
    if input.floating:
        value = double_of(word)
        return value != value
    return input.has_null and word == input.null


cdef void take_in(const Definition* definition, Block* block, int32_t begin, int32_t end) noexcept nogil:
    """Tuples ``begin`` to ``end`` - 1 of the block, into the cells of each, which have been counted there."""
    cdef int32_t k, i, at
    cdef const Aggregate* one
    cdef const int64_t* value
    cdef uint64_t total
    cdef bint plain
    for k in range(definition.n_aggregates):
        one = &definition.aggregates[k]
        at = one.at
        if one.kind == ROWS:
            continue
        value = block.value[one.input]
        plain = not one.floating and not definition.inputs[one.input].has_null
        if one.kind == SUM and plain:
            if block.alone:
                total = 0
                for i in range(begin, end):
                    total += <uint64_t>value[i]
                block.cells[begin][at] = wrapping_sum(block.cells[begin][at], <int64_t>total)
                continue
            for i in range(begin, end):
                block.cells[i][at] = wrapping_sum(block.cells[i][at], value[i])
            continue
        if one.kind == SUM and one.floating:
            for i in range(begin, end):
                if double_of(value[i]) == double_of(value[i]):
                    block.cells[i][at] = word_of(double_of(block.cells[i][at]) + double_of(value[i]))
            continue
        for i in range(begin, end):
            if plain or not is_null(&definition.inputs[one.input], value[i]):
                take_value(one, block.cells[i] + at, value[i])


cdef inline void take_value(const Aggregate* one, int64_t* cell, int64_t word) noexcept nogil:
    """A value that is not null."""
    cdef double value = double_of(word) if one.floating else <double>word, delta
    if one.kind == COUNT:
        cell[0] += 1
    elif one.kind == SUM:
        cell[0] = wrapping_sum(cell[0], word)
    elif one.kind == MEAN:
        cell[0] = word_of(double_of(cell[0]) + value)
        cell[1] += 1
    elif one.kind == VAR:
        cell[0] += 1
        delta = value - double_of(cell[1])
        cell[1] = word_of(double_of(cell[1]) + delta / cell[0])
        cell[2] = word_of(double_of(cell[2]) + delta * (value - double_of(cell[1])))
    elif one.kind == OWN and one.floating:
        (<AddFloat>one.add)(cell, value)
    elif one.kind == OWN:
        (<AddInteger>one.add)(cell, word)
    elif one.kind < DISTINCT:
        if cell[1] == 0 or one.kind == LAST or (one.kind != FIRST and is_beyond(one, word, cell[0])):
            cell[0] = word
            cell[1] = 1
    elif one.kind >= HYPERLOGLOG:
        sketch_value(one, cell, word)
    else:
        keep_value(cell, word)


cdef inline bint is_beyond(const Aggregate* one, int64_t word, int64_t than) noexcept nogil:
    """Of MIN and MAX: does a value take the place of the one so far? Of equal ones the first stays."""
    if one.floating:
        return double_of(word) < double_of(than) if one.kind == MIN else double_of(word) > double_of(than)
    return word < than if one.kind == MIN else word > than


cdef void merge(const Definition* definition, int64_t* earlier, const int64_t* later) noexcept nogil:
    """Make the cells of some tuples those of these and of the ones behind them. Values that are kept stay where they
    are."""
    cdef int32_t k
    cdef const Aggregate* one
    cdef int64_t* cell
    cdef const int64_t* other
    earlier[0] += later[0]
    for k in range(definition.n_aggregates):
        one = &definition.aggregates[k]
        if one.kind == ROWS:
            continue
        cell = earlier + one.at
        other = later + one.at
        if one.kind == COUNT or (one.kind == SUM and not one.floating):
            cell[0] = wrapping_sum(cell[0], other[0])
        elif one.kind == SUM:
            cell[0] = word_of(double_of(cell[0]) + double_of(other[0]))
        elif one.kind == MEAN:
            cell[0] = word_of(double_of(cell[0]) + double_of(other[0]))
            cell[1] += other[1]
        elif one.kind == VAR:
            merge_variances(cell, other)
        elif one.kind == OWN:
            (<MergeStates>one.merge)(cell, other)
        elif one.kind < DISTINCT and other[1]:
            if cell[1] == 0 or one.kind == LAST or (one.kind != FIRST and is_beyond(one, other[0], cell[0])):
                cell[0] = other[0]
                cell[1] = 1


cdef inline void merge_variances(int64_t* cell, const int64_t* other) noexcept nogil:
    """By Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979."""
    cdef double n = <double>cell[0], m = <double>other[0], delta
    if other[0] == 0:
        return
    delta = double_of(other[1]) - double_of(cell[1])
    cell[0] += other[0]
    cell[1] = word_of(double_of(cell[1]) + delta * (m / (n + m)))
    cell[2] = word_of(double_of(cell[2]) + double_of(other[2]) + delta * delta * (n * m / (n + m)))


cdef void free_values(const Definition* definition, int64_t* cells) noexcept nogil:
    """Free the values that are kept."""
    cdef int32_t k
    if not definition.keeps_values:
        return
    for k in range(definition.n_aggregates):
        if definition.aggregates[k].kind >= DISTINCT:
            free(<void*>cells[definition.aggregates[k].at])
            cells[definition.aggregates[k].at] = 0


cdef void emit_cells(const Aggregate* one, const Closing* closing, int32_t n, Columns* out,
                     int32_t first) noexcept nogil:
    """Write what an aggregate that keeps no values is of ``n`` windows, to the rows from ``first`` on."""
    cdef int32_t i, at = one.at
    cdef const int64_t* cell
    cdef double left
    cdef int64_t* to = out.column[one.column] + first              # of 64-bit values
    if one.kind <= SUM:
        for i in range(n):
            to[i] = closing[i].cells[at]                            # of floats the bits
    elif one.kind == MEAN:
        for i in range(n):
            cell = closing[i].cells + at
            (<double*>to)[i] = double_of(cell[0]) / cell[1] if cell[1] else NAN
    elif one.kind == VAR:
        for i in range(n):
            cell = closing[i].cells + at
            left = cell[0] - one.parameter
            (<double*>to)[i] = double_of(cell[2]) / left if left > 0 else NAN
    elif one.kind == OWN:
        for i in range(n):
            if one.emits_floats:
                (<double*>to)[i] = (<FloatResult>one.result)(closing[i].cells + at)
            else:
                to[i] = (<IntegerResult>one.result)(closing[i].cells + at)
    else:
        for i in range(n):
            cell = closing[i].cells + at
            put(one, out, one.column, first + i, cell[0], cell[1] != 0)


cdef inline void put_double(Columns* out, int32_t column, int32_t row, double value) noexcept nogil:
    (<double*>out.column[column])[row] = value


cdef inline void put(const Aggregate* one, Columns* out, int32_t column, int32_t row, int64_t word,
                     bint present) noexcept nogil:
    """A value of the input's type."""
    cdef double value = double_of(word) if present else NAN
    if not one.floating:
        put_integer(out, column, row, word if present else one.null)
    elif type_of(out.layout, column) == FLOAT32:
        (<float*>out.column[column])[row] = <float>value
    else:
        put_double(out, column, row, value)


cdef void emit_values(const Aggregate* one, Gathered& all, Columns* out, int32_t row) noexcept nogil:
    """Write what an aggregate is of all that was gathered, whose order changes."""
    if one.kind == QUANTILE:
        put_double(out, one.column, row, quantile_of(one, all.values))
    elif one.kind == DISTINCT or one.kind == HYPERLOGLOG:
        out.column[one.column][row] = estimate_distinct(one, all)
    else:
        count_gathered(one, all)
        emit_most(one, all.runs, out, row)


cdef double quantile_of(const Aggregate* one, vector[int64_t]& values) noexcept nogil:
    """Between the two values next to the share, by how near they are to it (type 7 of Hyndman and Fan, 1996)."""
    cdef double place = one.parameter * (<double>values.size() - 1.0), low, high
    cdef int64_t below = <int64_t>place, i
    if values.empty():
        return NAN
    if one.floating:
        nth_element(values.begin(), values.begin() + below, values.end(), &less_double)
    else:
        nth_element(values.begin(), values.begin() + below, values.end())
    low = as_double(one, values[below])
    if place == below:
        return low
    high = as_double(one, values[below + 1])
    for i in range(below + 2, <int64_t>values.size()):
        high = min(high, as_double(one, values[i]))
    return low + (high - low) * (place - below)


cdef inline double as_double(const Aggregate* one, int64_t word) noexcept nogil:
    return double_of(word) if one.floating else <double>word


cdef void emit_most(const Aggregate* one, vector[Run]& runs, Columns* out, int32_t row) noexcept nogil:
    """The ``k`` values that occur most often, each with how often; of those that occur equally often the lesser ones.
    ``runs`` ascend by their values."""
    cdef size_t i
    cdef int32_t k, best
    for k in range(one.k):
        best = -1
        for i in range(runs.size()):
            if runs[i].count > (runs[best].count if best >= 0 else 0):
                best = <int32_t>i
        put(one, out, one.column + 2 * k, row, runs[best].value if best >= 0 else 0, best >= 0)
        out.column[one.column + 2 * k + 1][row] = runs[best].count if best >= 0 else 0
        if best >= 0:
            runs[best].count = 0

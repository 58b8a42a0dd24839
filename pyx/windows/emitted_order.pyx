"""The order in which windows are emitted: by their end, then by their key, column by column.

All partitions close their windows unit by unit, so that those of a unit end before any that later units close.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset
from libcpp.algorithm cimport sort
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.tuples.columns cimport reserve
from streambench.pyx.tuples.layout cimport INT64, size_of, type_of
from streambench.pyx.windows.ordered_words cimport key_words_of, read_words

cdef enum:
    FEW = 64                            # windows that are sorted by comparing them
    BITS = 11
    DIGITS = 1 << BITS

cdef struct Emitted:
    int64_t end
    const int64_t* key
    int32_t words
    int32_t row


cdef inline bint earlier(const Emitted& a, const Emitted& b) noexcept nogil:
    cdef int32_t k
    if a.end != b.end:
        return a.end < b.end
    for k in range(a.words):
        if a.key[k] != b.key[k]:
            return a.key[k] < b.key[k]
    return False


cdef bint are_in_order(Columns* windows, int32_t n_keys) noexcept nogil:
    """Whether windows of one key, an integer of 64 bits, stand in order; of other keys that is not known."""
    cdef const int64_t* end
    cdef const int64_t* key
    cdef int32_t i
    cdef bint falls = False
    if n_keys != 1 or windows.n == 0 or type_of(windows.layout, 2) != INT64:
        return windows.n <= 1
    end, key = windows.column[1], windows.column[2]
    for i in range(1, windows.n):
        falls |= (end[i] < end[i - 1]) | ((end[i] == end[i - 1]) & (key[i] < key[i - 1]))
    return not falls


cdef void order_windows(Columns* windows, int32_t n_keys, vector[uint32_t]& order) noexcept nogil:
    """The rows in order; ``windows`` are emitted ones, with begin and end in front of the keys."""
    cdef vector[Emitted] rows
    cdef vector[int64_t] keys
    cdef int32_t k, i, words = 0, at = 0, n = windows.n
    for k in range(2, 2 + n_keys):
        words += key_words_of(type_of(windows.layout, k), size_of(windows.layout, k))
    lengthen(order, n)
    lengthen(keys, max(1, n * words))
    for i in range(n):
        order[i] = <uint32_t>i
    for k in range(2, 2 + n_keys):
        read_words(windows, k, <const int32_t*>order.data(), n, keys.data() + at, words)
        at += key_words_of(type_of(windows.layout, k), size_of(windows.layout, k))
    if words == 1 and n >= FEW:
        sort_by(keys.data(), order)
        sort_by(windows.column[1], order)
        return
    lengthen(rows, n)
    for i in range(n):
        rows[i].end = windows.column[1][i]
        rows[i].key = keys.data() + <int64_t>i * words
        rows[i].words = words
        rows[i].row = i
    sort(rows.begin(), rows.end(), &earlier)
    for i in range(n):
        order[i] = <uint32_t>rows[i].row


cdef void sort_by(const int64_t* values, vector[uint32_t]& order) noexcept nogil:
    """Bring ``order`` into that of its values, of equal ones as it is: digit by digit, from the lowest to the last in
    which values differ."""
    cdef vector[uint32_t] other
    cdef int64_t count[DIGITS]
    cdef int64_t least = values[0], most = values[0], place, taken
    cdef uint64_t span
    cdef size_t i, n = order.size()
    cdef int32_t shift = 0, k
    for i in range(n):
        least = min(least, values[i])
        most = max(most, values[i])
    span = <uint64_t>most - <uint64_t>least
    lengthen(other, n)
    while shift < 64 and span >> shift:
        memset(count, 0, sizeof(count))
        for i in range(n):
            count[((<uint64_t>values[i] - <uint64_t>least) >> shift) & (DIGITS - 1)] += 1
        place = 0
        for k in range(DIGITS):
            taken = count[k]
            count[k] = place
            place += taken
        for i in range(n):
            k = <int32_t>(((<uint64_t>values[order[i]] - <uint64_t>least) >> shift) & (DIGITS - 1))
            other[count[k]] = order[i]
            count[k] += 1
        order.swap(other)
        shift += BITS


cdef void copy_in_order(Columns* windows, const uint32_t* order, int32_t n, Columns* out) noexcept nogil:
    """Append the rows ``order[0:n]`` to ``out``."""
    cdef int32_t k, i, size
    cdef char* to
    cdef const char* values
    reserve(out, n)
    for k in range(windows.width):
        size = size_of(windows.layout, k)
        values = <const char*>windows.column[k]
        to = <char*>out.column[k] + <int64_t>out.n * size
        if size == 8:
            for i in range(n):
                (<int64_t*>to)[i] = (<const int64_t*>values)[order[i]]
        else:
            for i in range(n):
                memcpy(to + <int64_t>i * size, values + <int64_t>order[i] * size, size)
    out.n += n

"""Distinct and most frequent values in bounded memory: HyperLogLog, and Space-Saving in batches.

A cell keeps values as exact aggregates do, until these would take more room than the sketch; its third word is -1 from
then on. So windows of few values are exact. Sketches of panes merge into that of their window.

HyperLogLog is of Flajolet, Fusy, Gandouet and Meunier (AofA 2007), its estimate the one of Ertl, "New cardinality
estimation algorithms for HyperLogLog sketches" (2017), which needs no table: its standard error is 1.04 divided by the
square root of the number of registers, whatever the number of values.

Space-Saving (paper 002) counts values into its counters batch by batch, by the merge of its section 3.1
(``topk.merge``): a batch is counted exactly, and a value that has no counter may have come ``floor`` times before. With
m counters no count is too low, none of n values too high by more than n / m, and no value that comes more often is left
out.
"""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport free
from libc.string cimport memset
from libcpp.algorithm cimport nth_element, sort
from libcpp.bit cimport countl_zero
from streambench.pyx.machine.memory cimport append, enlarge
from streambench.pyx.windows.definition cimport HYPERLOGLOG

cdef enum:
    MOST_RANK = 64


cdef void clear_gathered(Gathered& all) noexcept nogil:
    all.values.clear()
    all.registers.clear()
    all.runs.clear()
    all.floor = 0


cdef void keep_value(int64_t* cell, int64_t word) noexcept nogil:
    """Append a value to those that a cell keeps."""
    if cell[1] == cell[2]:
        cell[2] = max(<int64_t>4, 2 * cell[2])
        cell[0] = <int64_t>enlarge(<void*>cell[0], cell[2] * sizeof(int64_t))
    (<int64_t*>cell[0])[cell[1]] = word
    cell[1] += 1


cdef void sketch_value(const Aggregate* one, int64_t* cell, int64_t word) noexcept nogil:
    """Take a value in, which is not null."""
    cdef int64_t most = ((<int64_t>1 << one.precision) // 8 if one.kind == HYPERLOGLOG else 3 * <int64_t>one.counters)
    if cell[2] != SKETCHED:
        if cell[1] < most:
            keep_value(cell, word)
            return
        begin_sketch(one, cell)
    if one.kind == HYPERLOGLOG:
        register_value(one, <uint8_t*>cell[0], word)
        return
    (<int64_t*>cell[0])[2 + 2 * one.counters + cell[1]] = word
    cell[1] += 1
    if cell[1] == one.counters:
        count_batch(one, cell)


cdef size_t sketch_bytes(const Aggregate* one) noexcept nogil:
    """Of registers, or of counters and their batch."""
    if one.kind == HYPERLOGLOG:
        return <size_t>1 << one.precision
    return (2 + 3 * <size_t>one.counters) * sizeof(int64_t)


cdef void begin_sketch(const Aggregate* one, int64_t* cell) noexcept nogil:
    """Make a sketch of the values that are kept. Counters are: their floor, how many there are, each its value and its
    count; behind them the batch."""
    cdef int64_t* kept = <int64_t*>cell[0]
    cdef int64_t n = cell[1], i
    cdef size_t size = sketch_bytes(one)
    cell[0] = <int64_t>enlarge(NULL, size)
    memset(<void*>cell[0], 0, size)
    cell[1], cell[2] = 0, SKETCHED
    for i in range(n):
        sketch_value(one, cell, kept[i])
    free(kept)


cdef void register_value(const Aggregate* one, uint8_t* registers, int64_t word) noexcept nogil:
    cdef uint64_t mixed = <uint64_t>(word_of(double_of(word) + 0.0) if one.floating else word)     # -0.0 is 0.0
    cdef int32_t p = one.precision
    cdef uint8_t rank
    mixed = (mixed ^ mixed >> 30) * <uint64_t>0xBF58476D1CE4E5B9        # Stafford's mix 13, as in SplitMix64
    mixed = (mixed ^ mixed >> 27) * <uint64_t>0x94D049BB133111EB
    mixed ^= mixed >> 31
    rank = <uint8_t>(1 + countl_zero(mixed << p | <uint64_t>1 << (p - 1)))
    if registers[mixed >> (64 - p)] < rank:
        registers[mixed >> (64 - p)] = rank


cdef inline bint less_double(const int64_t& a, const int64_t& b) noexcept nogil:
    return double_of(a) < double_of(b)


cdef inline bint comes_before(const Aggregate* one, int64_t a, int64_t b) noexcept nogil:
    return double_of(a) < double_of(b) if one.floating else a < b


cdef inline bint greater(const int64_t& a, const int64_t& b) noexcept nogil:
    return a > b


cdef void sort_values(const Aggregate* one, vector[int64_t]& values) noexcept nogil:
    if one.floating:
        sort(values.begin(), values.end(), &less_double)
    else:
        sort(values.begin(), values.end())


cdef void count_runs(const Aggregate* one, const vector[int64_t]& values, vector[Run]& runs) noexcept nogil:
    """Of values that ascend: each with how often it comes."""
    cdef Run run
    cdef size_t i
    for i in range(values.size()):
        if i and not differ(one, values[i], values[i - 1]):
            runs[runs.size() - 1].count += 1
        else:
            run.value, run.count = values[i], 1
            append(runs, run)


cdef void merge_runs(const Aggregate* one, vector[Run]& runs, int64_t* floor, const Run* others, size_t n,
                     int64_t other_floor) noexcept nogil:
    """Count others in, too; both ascend. What one of them lacks has come its floor times there at most."""
    cdef vector[Run] both
    cdef Run run
    cdef size_t i = 0, j = 0
    while i < runs.size() or j < n:
        if j == n or (i < runs.size() and comes_before(one, runs[i].value, others[j].value)):
            run.value, run.count = runs[i].value, runs[i].count + other_floor
            i += 1
        elif i == runs.size() or comes_before(one, others[j].value, runs[i].value):
            run.value, run.count = others[j].value, others[j].count + floor[0]
            j += 1
        else:
            run.value, run.count = runs[i].value, runs[i].count + others[j].count
            i += 1
            j += 1
        append(both, run)
    runs.swap(both)
    floor[0] += other_floor


cdef void count_batch(const Aggregate* one, int64_t* cell) noexcept nogil:
    """Merge a batch into the counters, and keep those of the highest counts; of equal counts the lesser values."""
    cdef int64_t* kept = <int64_t*>cell[0]
    cdef const int64_t* batch = kept + 2 + 2 * one.counters
    cdef Run* counters = <Run*>(kept + 2)
    cdef vector[int64_t] values, counts
    cdef vector[Run] runs
    cdef int64_t least = 0, ties = one.counters, n = 0, i
    cdef size_t k
    for i in range(cell[1]):
        append(values, batch[i])
    cell[1] = 0
    sort_values(one, values)
    count_runs(one, values, runs)
    i = 0
    merge_runs(one, runs, &i, counters, <size_t>kept[1], kept[0])
    if <int64_t>runs.size() > one.counters:
        for k in range(runs.size()):
            append(counts, runs[k].count)
        nth_element(counts.begin(), counts.begin() + one.counters, counts.end(), &greater)
        kept[0] = max(kept[0], counts[one.counters])            # the greatest that is cut off
        nth_element(counts.begin(), counts.begin() + (one.counters - 1), counts.begin() + one.counters, &greater)
        least = counts[one.counters - 1]
        for k in range(<size_t>one.counters):
            ties -= counts[k] > least
    for k in range(runs.size()):
        if runs[k].count > least or (runs[k].count == least and ties > 0):
            ties -= runs[k].count == least
            counters[n] = runs[k]
            n += 1
    kept[1] = n


cdef void gather_cell(const Aggregate* one, const int64_t* cell, Gathered& into) noexcept nogil:
    """Add what a cell has kept to what those before it have."""
    cdef const int64_t* kept = <const int64_t*>cell[0]
    cdef const uint8_t* registers = <const uint8_t*>cell[0]
    cdef size_t k
    cdef int64_t i, n = cell[1]
    if cell[2] == SKETCHED and one.kind == HYPERLOGLOG:
        into.registers.resize(<size_t>1 << one.precision)
        for k in range(into.registers.size()):
            into.registers[k] = max(into.registers[k], registers[k])
        return
    if cell[2] == SKETCHED:
        merge_runs(one, into.runs, &into.floor, <const Run*>(kept + 2), <size_t>kept[1], kept[0])
        kept += 2 + 2 * one.counters
    for i in range(n):
        append(into.values, kept[i])


cdef void count_gathered(const Aggregate* one, Gathered& all) noexcept nogil:
    """Make all that was gathered counted values."""
    cdef vector[Run] runs
    sort_values(one, all.values)
    count_runs(one, all.values, runs)
    merge_runs(one, all.runs, &all.floor, runs.data(), runs.size(), 0)


cdef int64_t estimate_distinct(const Aggregate* one, Gathered& all) noexcept nogil:
    """How many different values were gathered."""
    cdef vector[Run] runs
    cdef size_t k
    if all.registers.empty():
        sort_values(one, all.values)
        count_runs(one, all.values, runs)
        return <int64_t>runs.size()
    for k in range(all.values.size()):
        register_value(one, all.registers.data(), all.values[k])
    return <int64_t>(estimate(all.registers) + 0.5)


cdef double estimate(const vector[uint8_t]& registers) noexcept nogil:
    """Ertl's improved raw estimate (section 2.2, algorithm 6)."""
    cdef int64_t count[MOST_RANK + 2]
    cdef double m = <double>registers.size(), z
    cdef int32_t most = 1 + countl_zero(<uint64_t>(registers.size() - 1)), k         # the highest rank
    cdef size_t i
    memset(count, 0, sizeof(count))
    for i in range(registers.size()):
        count[registers[i]] += 1
    z = m * tau(1 - count[most] / m)
    for k in range(most - 1, 0, -1):
        z = 0.5 * (z + count[k])
    return 0.7213475204444817 * m * m / (z + m * sigma(count[0] / m))           # 1 / (2 ln 2)


cdef double sigma(double x) noexcept nogil:
    cdef double y = 1, z = x, before = -1
    if x == 1:
        return INFINITY
    while z != before:
        x *= x
        before = z
        z += x * y
        y += y
    return z


cdef double tau(double x) noexcept nogil:
    cdef double y = 1, z = 1 - x, before = -1
    if x == 0 or x == 1:
        return 0
    while z != before:
        x = sqrt(x)
        before = z
        y *= 0.5
        z -= (1 - x) * (1 - x) * y
    return z / 3

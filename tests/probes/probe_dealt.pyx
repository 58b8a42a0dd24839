"""Three operators that may be dealt: one that makes many tuples of one, one that counts
them, one that lets few pass."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.map cimport map as ordered_map
from libcpp.vector cimport vector
from cython.operator cimport dereference, preincrement
from jitter cimport jitter
from probe_guard cimport Guards
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.partition.dealt cimport Dealt
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.tuples.columns cimport Columns, emit, emit_from
from streambench.pyx.tuples.operator cimport PartitionedStateful, Stateful
from streambench.pyx.tuples.unit cimport Group

cdef enum:
    FAN = 9                             # tuples made of one, with ascending keys
    MADE = 41
    PASSES = 4

ctypedef ordered_map[int64_t, int64_t] Sums


cdef class Fan(PartitionedStateful):
    """(key, value), the n-th of its key -> (value n % MADE + j, n), for each j below FAN."""
    cdef vector[Sums] seen              # per partition
    cdef Guards* guards                 # while it is dealt

    def __init__(self):
        self.columns = ("key", "value")

    def __dealloc__(self):
        del self.guards

    def open(self, int32_t partitions=1):
        self.seen.resize(partitions)
        del self.guards
        self.guards = new Guards(partitions)

    @property
    def violations(self):
        return self.guards.violations_now()

    def dealt_with(self, tuple behind, bint made):
        if len(behind) < 2 or not isinstance(behind[0], FanSum) or not isinstance(behind[1], FanPass):
            return None if made else 0
        return DealtFan((self, *behind[:2]), self.partitions) if made else 3

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t j, nth
        for i in range(n):
            nth = self.seen[partition][rows.column[0][selected[i]]] + 1
            self.seen[partition][rows.column[0][selected[i]]] = nth
            for j in range(FAN):
                row = emit_from(out, selected[i])
                out.column[0][row] = made_key(rows.column[1][selected[i]], nth, j)
                out.column[1][row] = nth
        return -1


cdef inline int64_t made_key(int64_t value, int64_t nth, int64_t j) noexcept nogil:
    return value * nth % MADE + j


cdef class FanSum(PartitionedStateful):
    """(key, value) -> (key, the sum of the key's values so far)."""
    cdef vector[Sums] sums              # per partition

    def __init__(self):
        self.columns = ("key", "value")

    def open(self, int32_t partitions=1):
        self.sums.resize(partitions)

    cdef int64_t add(self, int32_t partition, int64_t key, int64_t value) noexcept nogil:
        self.sums[partition][key] += value
        return self.sums[partition][key]

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        for i in range(n):
            row = emit_from(out, selected[i])
            out.column[0][row] = rows.column[0][selected[i]]
            out.column[1][row] = self.add(partition, rows.column[0][selected[i]], rows.column[1][selected[i]])
        return -1


cdef class FanPass(Stateful):
    """(key, value) -> (key, the sum of the key's values), where PASSES divides that sum; in
    the end all of them, by key.

    ``parts``: what it holds while it is dealt, per partition.
    """
    cdef Sums sums
    cdef vector[Sums] parts
    cdef bint flushed

    def __init__(self):
        self.columns = ("key", "value")

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        for i in range(rows.n):
            self.sums[rows.column[0][i]] += rows.column[1][i]
            if self.sums[rows.column[0][i]] % PASSES == 0:
                row = emit(out)
                out.column[0][row] = rows.column[0][i]
                out.column[1][row] = self.sums[rows.column[0][i]]
        return -1

    cdef void unite(self) noexcept nogil:
        cdef size_t p
        for p in range(self.parts.size()):
            self.sums.insert(self.parts[p].begin(), self.parts[p].end())
            self.parts[p].clear()

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef Sums.iterator at
        cdef int32_t row
        if self.flushed:
            return 0
        self.flushed = True
        self.unite()                    # nobody is told that a stream has ended
        at = self.sums.begin()
        while at != self.sums.end():
            row = emit(out)
            out.column[0][row] = dereference(at).first
            out.column[1][row] = dereference(at).second
            preincrement(at)
        return <int32_t>self.sums.size()


cdef class DealtFan(Dealt):
    """Of the three. Every partition has seen all tuples, and makes those whose keys are its own."""
    cdef Fan fan
    cdef FanSum counted
    cdef FanPass passing
    cdef vector[Sums] seen              # per partition: of all keys

    def __init__(self, tuple operators, int32_t partitions):
        Dealt.__init__(self, operators, partitions)
        self.fan, self.counted, self.passing = operators
        self.seen.resize(partitions)
        self.passing.parts.resize(partitions)

    cdef void share(self, bint dealt) noexcept nogil:
        cdef Sums* all_sums = &self.passing.sums
        cdef Sums.iterator at
        cdef int32_t p, q
        if dealt:
            for p in range(self.partitions):
                self.seen[p].clear()
                for q in range(self.partitions):
                    self.seen[p].insert(self.fan.seen[q].begin(), self.fan.seen[q].end())
            at = all_sums.begin()
            while at != all_sums.end():
                self.passing.parts[partition_by_hash(dereference(at).first, self.partitions)].insert(dereference(at))
                preincrement(at)
            all_sums.clear()
            return
        self.passing.unite()
        at = self.seen[0].begin()
        while at != self.seen[0].end():
            self.fan.seen[partition_by_hash(dereference(at).first,
                                            self.partitions)][dereference(at).first] = dereference(at).second
            preincrement(at)

    cdef void process(self, int32_t partition, Columns* rows, Columns* out, int64_t* given) noexcept nogil:
        cdef Sums* part = &self.passing.parts[partition]
        cdef int32_t row
        cdef int64_t j, nth, key
        self.fan.guards.enter(partition)
        yield_point()
        for row in range(rows.n):
            jitter(rows.column[1][row], partition, 1)
            nth = self.seen[partition][rows.column[0][row]] + 1
            self.seen[partition][rows.column[0][row]] = nth
            for j in range(FAN):
                key = made_key(rows.column[1][row], nth, j)
                if partition_by_hash(key, self.partitions) == partition:
                    given[1] += 1
                    part[0][key] += self.counted.add(partition, key, nth)
                    if part[0][key] % PASSES == 0:
                        emit_row(out, emit_from(out, row), key, part[0][key])
        given[2] = given[1]
        yield_point()
        self.fan.guards.leave(partition)

    cdef void merge(self, Group* groups, int32_t n, Columns* out) noexcept nogil:
        """By the tuple that it was made of, then by key."""
        cdef vector[int32_t] at
        cdef int32_t p, least
        at.assign(n, 0)
        while True:
            least = -1
            for p in range(n):
                if (at[p] < groups[p].out.n
                        and (least < 0 or stands_before(&groups[p].out, at[p], &groups[least].out, at[least]))):
                    least = p
            if least < 0:
                return
            emit_row(out, emit(out), groups[least].out.column[0][at[least]], groups[least].out.column[1][at[least]])
            at[least] += 1


cdef inline void emit_row(Columns* out, int32_t row, int64_t key, int64_t value) noexcept nogil:
    out.column[0][row] = key
    out.column[1][row] = value


cdef inline bint stands_before(Columns* x, int32_t row, Columns* y, int32_t other) noexcept nogil:
    if x.source_row[row] != y.source_row[other]:
        return x.source_row[row] < y.source_row[other]
    return x.column[0][row] < y.column[0][other]

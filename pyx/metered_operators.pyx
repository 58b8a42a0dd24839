"""The operators of the sharded engine, called on whole units or shards of them, and what each call takes.

Who may call which one when, the engine knows (``sharded``).
"""

from streambench.pyx.apply cimport PARTITIONED, apply, kind_of
from streambench.pyx.clock cimport ticks
from streambench.pyx.columns cimport reset
from streambench.pyx.group cimport gather_groups, process_group
from streambench.pyx.meter cimport METER_FIELDS, Metered, count, count_emitted, sum_meters
from streambench.pyx.operator cimport Operator, PartitionedStateful
from streambench.pyx.padded cimport delete_counter_lines, new_counter_lines
from streambench.pyx.partitioning cimport Partitioning
from streambench.pyx.unit cimport enter_unit, swap


cdef class MeteredOperators:
    """``operators``: source, operators, sink, prepared for ``partitions`` (one number per operator)."""

    def __init__(self, list operators, list partitions, int workers, bint by_range):
        cdef int32_t k
        cdef PartitionedStateful keyed
        self.operators = operators
        self.n = <int32_t>len(operators)
        self.kept = []
        for k in range(self.n):
            self.at[k] = <void*>operators[k]
            self.kinds[k] = kind_of(operators[k])
            self.partitions[k] = partitions[k] if self.kinds[k] == PARTITIONED else 1
            self.free[k] = self.shared[k] = True
            if self.kinds[k] == PARTITIONED:
                keyed = operators[k]
                self.free[k] = partitions[k] == 1 or (keyed.partition_free and not by_range)
                partitioning = Partitioning(partitions[k], by_range and keyed.high_key > keyed.low_key, keyed.low_key,
                                            keyed.high_key)
                self.kept.append(partitioning)
                self.partitioning[k] = <void*>partitioning
        for k in range(workers):
            self.meters.push_back(new_counter_lines(self.n))

    def __dealloc__(self):
        cdef size_t k
        for k in range(self.meters.size()):
            delete_counter_lines(self.meters[k])

    cdef void share(self, uint32_t sharded) noexcept nogil:
        """Tell the operators that can be either which of them run by partition from now on (bits by place)."""
        cdef int32_t k
        cdef bint shared
        for k in range(self.n):
            if self.kinds[k] == PARTITIONED and self.free[k] and self.partitions[k] > 1:
                shared = sharded >> k & 1
                if shared != self.shared[k]:
                    self.shared[k] = shared
                    (<PartitionedStateful>self.at[k]).share(shared)

    cdef void operate(self, Unit* unit, int32_t begin, int32_t end, Stopwatch* watch) noexcept nogil:
        """Call the operators ``begin`` .. ``end`` - 1 on the whole unit."""
        cdef int32_t k, given
        cdef bint timed = is_timed(watch, unit.now.n)
        cdef int64_t begun = ticks() if timed else 0, ended = begun - 1
        if begin <= FIRST_OPERATOR < end:
            enter_unit(unit)
        for k in range(begin, end):
            if k == self.n - 1 and unit.marked:
                unit.operated = ticks()
            given = unit.now.n
            if self.free[k]:
                apply(<Operator>self.at[k], self.kinds[k], k, unit)
            else:
                self.apply_by_partition(k, unit)
            if timed:
                ended = ticks()
            count(watch.meters, k, ended - begun, given, unit.now.n)
            if timed:
                begun = ended

    cdef void apply_by_partition(self, int32_t place, Unit* unit) noexcept nogil:
        """One worker has the operator, but its state is by partition."""
        cdef int32_t g
        self.scatter(place, unit)
        for g in range(unit.n_groups):
            process_group(<PartitionedStateful>self.at[place], &unit.groups[g])
        gather_groups(<PartitionedStateful>self.at[place], place, unit)

    cdef void process_shard(self, int32_t place, Unit* unit, int32_t shard, Stopwatch* watch) noexcept nogil:
        cdef int32_t n = unit.groups[shard].end - unit.groups[shard].begin
        cdef int64_t begun
        if n == 0:
            process_group(<PartitionedStateful>self.at[place], &unit.groups[shard])    # empties what it may have held
            return
        begun = ticks() if is_timed(watch, n) else -1
        if place == FIRST_OPERATOR:
            enter_unit(unit)
        process_group(<PartitionedStateful>self.at[place], &unit.groups[shard])
        count(watch.meters, place, ticks() - begun if begun >= 0 else -1, n, 0)     # `gather` counts the outputs

    cdef void scatter(self, int32_t place, Unit* unit) noexcept nogil:
        """Index the unit's rows by partition."""
        unit.tuples_in[place] = unit.now.n
        (<Partitioning>self.partitioning[place]).scatter_to_all(<PartitionedStateful>self.at[place], unit)

    cdef void gather(self, int32_t place, Unit* unit, Stopwatch* watch) noexcept nogil:
        """Put the shards' outputs in order."""
        gather_groups(<PartitionedStateful>self.at[place], place, unit)
        count_emitted(watch.meters, place, unit.now.n)

    cdef bint flush(self, int32_t place, Unit* unit, int32_t at_most) noexcept nogil:
        """Fill the unit with what the operator still holds. False: nothing."""
        reset(unit.spare, (<Operator>self.at[place]).emitted_width)
        if (<Operator>self.at[place]).flush(unit.spare, at_most) == 0:
            return False
        swap(unit)
        return True

    def profile(self) -> list:
        """Return a mapping per operator: worker time in ticks (estimated where the clock was not read), tuples, visits."""
        cdef int32_t k
        cdef Metered total
        found = []
        for k in range(self.n):
            sum_meters(self.meters.data(), <int32_t>self.meters.size(), k, &total)
            ticks_, timed, given, emitted, visits = [total.value[f] for f in range(METER_FIELDS)]
            found.append({"operators": [self.operators[k].name], "ticks": int(ticks_ * given / timed) if timed else 0,
                          "tuples_in": given, "tuples_out": emitted, "visits": visits, "reorder": {}})
        return found

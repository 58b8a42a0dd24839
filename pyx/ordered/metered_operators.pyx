"""The operators of the engine `ordered`, called on whole units or groups of them, and what each call takes.

Who may call which one when, is decided elsewhere (``segments``, ``admission``).
"""

from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.engine.stop_token cimport StopToken
from streambench.pyx.ordered.meter cimport Meters, count, count_emitted, count_untold
from streambench.pyx.tuples.apply cimport PARTITIONED, apply, apply_rest, kind_of
from streambench.pyx.machine.simulated cimport APPLY, FUSED, GATHER, METERS, PROCESS, SCATTER, present, touch
from streambench.pyx.partition.group cimport apply_by_group, apply_rest_by_group, gather, process_group, scatter
from streambench.pyx.partition.dealt cimport Dealt, deal, gather_dealt, process_dealt
from streambench.pyx.tuples.fused cimport Fusions, fused_from
from streambench.pyx.tuples.operator cimport Operator, PartitionedStateful
from streambench.pyx.partition.partitioning cimport Partitioning
from streambench.pyx.tuples.unit cimport Group, enter_unit, held_at, is_held_by_group, rest_of
from streambench.pyx.tuples.work cimport begin_work, end_work
from streambench.pyx.ordered.plan cimport dealt_end

from streambench.pyx.partition.dealt import dealt_behind


cdef inline double taken_alone(const Stopwatch* watch, int32_t place, int64_t rows) noexcept nogil:
    """The ticks that so many rows would take by themselves."""
    return <double>watch.alone[place] * rows / max(watch.alone_rows[place], <int64_t>1)


cdef class MeteredOperators:
    """``operators``: source, operators, sink, prepared for ``partitions`` (one number per
    operator). ``token``: the engine's."""

    def __init__(self, list operators, list partitions, int workers, bint by_range, dict bounds,
                 StopToken token not None):
        cdef int32_t k
        cdef PartitionedStateful keyed
        self.operators = operators
        self.stopped = token.stopped
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
                                            keyed.high_key, bounds.get(k, ()))
                self.kept.append(partitioning)
                self.partitioning[k] = <void*>partitioning
        for place, dealt in ({} if by_range else dealt_behind(operators, partitions)).items():
            self.kept.append(dealt)
            (<Dealt>dealt).stopped = self.stopped
            self.dealt[place] = <void*>dealt
            self.dealt_ends[place] = place + len(dealt.operators)
        self.fusions = Fusions(operators, [k for k in range(self.n) if not self.free[k]])
        self.meters = Meters(self.n, workers)

    cdef void share(self, Cuts cuts) noexcept nogil:
        """Tell the operators that can be either which of them run by partition from now on."""
        cdef int32_t k
        cdef bint shared
        self.share_dealt(cuts, False)
        for k in range(self.n):
            if self.kinds[k] == PARTITIONED and self.free[k] and self.partitions[k] > 1:
                shared = cuts.sharded >> k & 1
                if shared != self.shared[k]:
                    self.shared[k] = shared
                    (<PartitionedStateful>self.at[k]).share(shared)
        self.share_dealt(cuts, True)

    cdef void share_dealt(self, Cuts cuts, bint dealt) noexcept nogil:
        """Tell those that are dealt from now on, or those that no longer are."""
        cdef int32_t k
        for k in range(self.n):
            if (self.dealt[k] is not NULL and (<Dealt>self.dealt[k]).dealt != dealt
                    and (dealt_end(cuts, self.dealt_ends, k) > 0) == dealt):
                (<Dealt>self.dealt[k]).dealt = dealt
                (<Dealt>self.dealt[k]).share(dealt)

    cdef void operate(self, Unit* unit, int32_t begin, int32_t end, Stopwatch* watch) noexcept nogil:
        """Call the operators ``begin`` .. ``end`` - 1 on the whole unit; to the sink, on all pieces that begin there.

        Stopped amid these, the unit holds the rest: no sink is given that, and
        ``Egress.deliver`` does not count the unit.
        """
        self.call_all(unit, begin, end, watch)
        while end == self.n and held_at(unit) >= begin and self.stopped.value.load(memory_order_relaxed) == 0:
            self.call_all(unit, self.resume(unit, watch), end, watch)

    cdef int32_t resume(self, Unit* unit, Stopwatch* watch) noexcept nogil:
        """Make the unit's next piece. Returns the operator that is to have it first."""
        cdef int32_t place = held_at(unit), rows = rest_of(unit, place)
        cdef bint timed = is_timed(watch, rows)
        cdef int64_t begun
        begin_work(APPLY, place, unit, rows)
        begun = present() if timed else 0
        if is_held_by_group(unit):
            apply_rest_by_group(<PartitionedStateful>self.at[place], place, unit)
        else:
            apply_rest(<Operator>self.at[place], self.kinds[place], unit)
        end_work(APPLY, place, 0, unit, rows)
        count(watch.meters, place, present() - begun if timed else -1, rows - rest_of(unit, place), unit.now.n)
        return place + 1

    cdef void call_all(self, Unit* unit, int32_t begin, int32_t end, Stopwatch* watch) noexcept nogil:
        cdef int32_t k = begin, rows, behind
        cdef bint timed = is_timed(watch, unit.now.n)
        cdef bint is_read = False               # the clock, as the last operator ended
        cdef int64_t begun = 0, ended = -1
        if begin <= FIRST_OPERATOR < end:
            enter_unit(unit)
        while k < end:
            behind = self.operate_fused(unit, k, end, timed, watch)
            if behind > k:
                is_read = False
                k = behind
                continue
            if k == self.n - 1 and unit.marked:
                unit.operated = present()
            rows = unit.now.n
            begin_work(APPLY, k, unit, rows)
            if timed and not is_read:
                begun = present()
                is_read = True
            if self.free[k]:
                apply(<Operator>self.at[k], self.kinds[k], k, unit)
            else:
                apply_by_group(<Partitioning>self.partitioning[k], <PartitionedStateful>self.at[k], k, unit)
            end_work(APPLY, k, 0, unit, rows)
            if timed:
                ended = present()
                watch.alone[k] = ended - begun
                watch.alone_rows[k] = rows - rest_of(unit, k)
            count(watch.meters, k, ended - begun, rows - rest_of(unit, k), unit.now.n)
            if timed:
                begun = ended
            k += 1

    cdef int32_t operate_fused(self, Unit* unit, int32_t place, int32_t end, bint timed,
                               Stopwatch* watch) noexcept nogil:
        """As ``Fusions.apply``, metered. One timed unit of 32 is not fused: it tells what share each operator has."""
        cdef int64_t rows_in[MAX_OPERATORS]
        cdef int32_t first = fused_from(self.fusions, place, end), behind, rows = unit.now.n
        cdef int64_t begun
        if first < 0 or (timed and (watch.alone[place] == 0 or draw(watch, 5))):
            return place
        begin_work(FUSED + self.fusions.end[first] - place, place, unit, rows)
        begun = present() if timed else 0
        behind = self.fusions.apply(place, end, unit, rows_in)
        if behind > place:
            end_work(FUSED + behind - place, place, 0, unit, rows)
            self.count_fused(unit, place, behind, rows_in, present() - begun if timed else -1, watch)
        if behind == self.n and unit.marked:
            unit.operated = present()
        return behind

    cdef void count_fused(self, Unit* unit, int32_t place, int32_t end, const int64_t* rows_in, int64_t elapsed,
                          Stopwatch* watch) noexcept nogil:
        """Count a call of the operators ``place`` .. ``end`` - 1 as one loop, its time by what each takes alone."""
        cdef int64_t alone = 0
        cdef int32_t k
        for k in range(place, end):
            alone += watch.alone[k]
        for k in range(place, end):
            touch(METERS, watch.meters + k)
        for k in range(place, end):
            count_untold(watch.meters, k, elapsed * watch.alone[k] // alone if elapsed > 0 else elapsed,
                  rows_in[k - place], rows_in[k + 1 - place] if k + 1 < end else unit.now.n)

    cdef void scatter(self, int32_t place, Unit* unit) noexcept nogil:
        """Index the unit's rows by partition: a group for every shard."""
        cdef int32_t rows = unit.now.n
        begin_work(SCATTER, place, unit, rows)
        scatter(<Partitioning>self.partitioning[place], <PartitionedStateful>self.at[place], place, unit, True)
        end_work(SCATTER, place, 0, unit, rows)

    cdef void process_shard(self, int32_t place, Unit* unit, int32_t shard, Stopwatch* watch) noexcept nogil:
        """Process the unit's group of that shard."""
        cdef Group* group = &unit.index.groups[shard]
        cdef int32_t n = group.end - group.begin, rows_in = group.begin
        cdef int64_t begun
        begin_work(PROCESS, place, unit, n)
        if n == 0:
            process_group(<PartitionedStateful>self.at[place], group)      # empties what it may have held
            end_work(PROCESS, place, shard, unit, 0)
            return
        begun = present() if is_timed(watch, n) else -1
        if place == FIRST_OPERATOR:
            enter_unit(unit)
        process_group(<PartitionedStateful>self.at[place], group)
        end_work(PROCESS, place, shard, unit, n)
        rows_in = group.begin - rows_in if group.failed_row < 0 else n
        count(watch.meters, place, present() - begun if begun >= 0 else -1, rows_in, 0)   # `gather` counts the outputs

    cdef void gather(self, int32_t place, Unit* unit, Stopwatch* watch) noexcept nogil:
        """Put the outputs of its groups in order."""
        cdef int32_t rows = unit.now.n
        begin_work(GATHER, place, unit, rows)
        gather(<PartitionedStateful>self.at[place], place, unit)
        end_work(GATHER, place, 0, unit, rows)
        count_emitted(watch.meters, place, unit.now.n)

    cdef void deal(self, int32_t place, Unit* unit) noexcept nogil:
        """Give every shard all rows of the unit."""
        cdef int32_t rows = unit.now.n
        begin_work(SCATTER, place, unit, rows)
        deal(<Dealt>self.dealt[place], place, unit)
        end_work(SCATTER, place, 0, unit, rows)

    cdef void process_dealt(self, int32_t place, Unit* unit, int32_t shard, Stopwatch* watch) noexcept nogil:
        """What belongs to that shard of all rows, by the operators that are dealt with the one at ``place``.

        The time is shared out by what a row of each takes alone. All shards are given the same rows:
        each counts its share of them.
        """
        cdef Group* group = &unit.index.groups[shard]
        cdef int32_t n = group.end, k, end = self.dealt_ends[place]
        cdef int64_t elapsed, rows_in, shards = unit.index.n_groups
        cdef double alone = 0.0
        cdef int64_t begun = present() if is_timed(watch, n) else -1
        begin_work(PROCESS, place, unit, n)
        if place == FIRST_OPERATOR and n > 0:
            enter_unit(unit)
        process_dealt(<Dealt>self.dealt[place], group)
        end_work(PROCESS, place, shard, unit, n)
        if n == 0:
            return
        elapsed = present() - begun if begun >= 0 else -1
        for k in range(place, end):
            alone += taken_alone(watch, k, group.given[k - place])
        for k in range(place, end):
            rows_in = group.given[k - place] if k > place else n * (shard + 1) // shards - n * shard // shards
            count(watch.meters, k, elapsed if elapsed < 0
                  else <int64_t>(elapsed * taken_alone(watch, k, group.given[k - place]) / alone) if alone > 0
                  else elapsed // (end - place), rows_in, group.given[k + 1 - place] if k + 1 < end else 0)

    cdef void gather_dealt(self, int32_t place, Unit* unit, Stopwatch* watch) noexcept nogil:
        """Merge what the shards have emitted."""
        cdef int32_t rows = unit.now.n
        begin_work(GATHER, place, unit, rows)
        gather_dealt(<Dealt>self.dealt[place], place, unit)
        end_work(GATHER, place, 0, unit, rows)
        count_emitted(watch.meters, self.dealt_ends[place] - 1, unit.now.n)

    def dealt_places(self) -> tuple:
        """Return (place of the first, behind the last) of the operators that can be dealt."""
        return tuple((k, self.dealt_ends[k]) for k in range(self.n) if self.dealt_ends[k])

    def profile(self) -> list:
        """Return a mapping per operator, see ``Meters.profile``."""
        return self.meters.profile(self.operators)

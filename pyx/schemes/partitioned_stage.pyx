"""A partitioned stateful operator as a stage (paper 000, section 5): a partitioned worklist of groups.

An item of the worklist is a group, the tuples of one unit that fall into one partition; with units of one tuple that is
the paper's case, a tuple. The worker that processes the last group of a unit gathers the outputs and hands the unit on.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.engine.egress cimport Egress
from streambench.pyx.partition.group cimport gather, process_group
from streambench.pyx.tuples.operator cimport PartitionedStateful
from streambench.pyx.schemes.partitioned_worklist cimport Consumer, PartitionedWorklist
from streambench.pyx.machine.simulated cimport GATHER, PROCESS
from streambench.pyx.schemes.stage cimport Stage, Tally, weight
from streambench.pyx.tuples.unit cimport Group, Unit, enter_unit, has_stopped, held_at, take_up_groups
from streambench.pyx.tuples.work cimport begin_work, end_group, end_work
from streambench.pyx.machine.yield_points cimport yield_point

cdef struct Visit:
    # The unit whose last group this worker processed last. It is handed on when the worker holds no partition, so that
    # fused operators do not keep others out, but at the latest when the next unit is finished: a worker to whom others
    # keep delegating may not leave its partition for long.
    Unit* finished
    Tally* tally


cdef class GroupConsumer(Consumer):
    """Gives the worklist's groups to the operator."""

    cdef void* stage                        # borrowed PartitionedStage, which owns this

    cdef int64_t operate(self, int64_t partition, void* item, void* visit) noexcept nogil:
        cdef Group* group = <Group*>item
        cdef Unit* unit = <Unit*>group.unit
        cdef int64_t n = group.end - group.begin
        cdef Visit* mine = <Visit*>visit
        cdef bint stopped
        if (<Stage>self.stage).egress.stopped.value.load(memory_order_relaxed) != 0:
            return weight(n)            # the unit stays unfinished: a stop takes effect soon, whatever is delegated
        begin_work(PROCESS, (<Stage>self.stage).place, unit, n)
        if (<Stage>self.stage).enters:
            enter_unit(unit)
        process_group(<PartitionedStateful>(<Stage>self.stage).operator, group)
        end_work(PROCESS, (<Stage>self.stage).place, partition, unit, n)
        (<Stage>self.stage).count_dequeued(mine.tally, weight(n))
        stopped = has_stopped(group)
        mine.tally.tuples_in += n - (group.end - group.begin if stopped else 0)
        yield_point()
        if end_group(unit):
            self.partition_left(visit)
            mine.finished = unit
        return -weight(n) if stopped else weight(n)     # then the partition stays with the unit

    cdef void partition_left(self, void* visit) noexcept nogil:
        cdef Visit* mine = <Visit*>visit
        cdef Unit* unit = mine.finished
        cdef int64_t tuples
        if unit is NULL:
            return
        mine.finished = NULL
        tuples = unit.now.n
        yield_point()
        begin_work(GATHER, (<Stage>self.stage).place, unit, tuples)
        gather(<PartitionedStateful>(<Stage>self.stage).operator, (<Stage>self.stage).place, unit)
        end_work(GATHER, (<Stage>self.stage).place, 0, unit, tuples)
        (<Stage>self.stage).finish(unit, mine.tally)


cdef class PartitionedStage(Stage):
    """``worklist``: the partitioning scheme."""

    cdef PartitionedWorklist worklist
    cdef GroupConsumer consumer

    def __init__(self, PartitionedStateful operator, int place, list fused, Egress egress,
                 PartitionedWorklist worklist):
        Stage.__init__(self, operator, place, fused, egress)
        self.max_workers = worklist.partitions
        self.worklist = worklist
        self.consumer = GroupConsumer()
        self.consumer.stage = <void*>self

    cdef void enqueue(self, Unit* unit) noexcept nogil:
        cdef int32_t g, n = unit.index.n_groups         # read first: the unit is gone with its last group
        cdef Group* groups = unit.index.groups
        cdef int64_t enqueued = 0                       # where groups may be empty, more than the unit's own weight
        for g in range(n):
            enqueued += weight(groups[g].end - groups[g].begin)
        self.count_enqueued(enqueued)
        for g in range(n):
            self.worklist.add(groups[g].partition, &groups[g])

    cdef int64_t visit(self, int64_t budget, Tally* tally) noexcept nogil:
        cdef Visit visit
        visit.finished = NULL
        visit.tally = tally
        return self.worklist.consume(self.consumer, budget, &visit)

    cdef int64_t make_piece(self, Unit* unit, Tally* tally) noexcept nogil:
        """Groups in which the operator has stopped are processed again, one after the other; then
        the unit is gathered again."""
        cdef Visit visit
        cdef int32_t g, first
        cdef int64_t rows_taken = 0
        cdef Group* group
        if held_at(unit) > self.place:
            return Stage.make_piece(self, unit, tally)
        visit.finished = NULL
        visit.tally = tally
        take_up_groups(unit)
        unit.again = True
        for g in range(unit.index.n_groups):
            group = &unit.index.groups[g]
            if not has_stopped(group):
                continue
            first = group.begin
            begin_work(PROCESS, self.place, unit, group.end - first)
            process_group(<PartitionedStateful>self.operator, group)
            end_work(PROCESS, self.place, group.partition, unit, group.end - first)
            rows_taken += group.begin - first
            if not has_stopped(group):
                self.worklist.give_back(group.partition, self.consumer, &visit)
        begin_work(GATHER, self.place, unit, unit.now.n)
        gather(<PartitionedStateful>self.operator, self.place, unit)
        end_work(GATHER, self.place, 0, unit, unit.now.n)
        self.pass_on(unit, self.place + 1, tally)
        return rows_taken

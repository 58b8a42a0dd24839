"""S-RTS, the runtime before FRONT (paper 004, section 3): a thread for each entity, and bounded streams that block.

Everything that takes records is an entity: filters, dispatchers, tests and scopes, too, in every replica anew. Its
thread reads from its stream, does what the node does, and writes what comes of it to others' streams. Where streams
join, one is written by several, so that no collector looks through many. A feedback's way back is unbounded, or the
loop could block itself. A cell that is done is an identity: in a star around a cell its thread hands its stream to the
entity after it, and ends; so does the test after it, which such records have failed before.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from streambench.pyx.front.entities cimport Entity, Frame
from streambench.pyx.front.own_threads cimport work_for
from streambench.pyx.front.property_graph cimport Kind, Node
from streambench.pyx.front.records cimport Record, take_record
from streambench.pyx.front.state cimport State
from streambench.pyx.front.streams cimport (
    Resident, Residents, Stream, close_streams, count_alive, delete_resident, delete_residents, end_resident, inherit,
    is_empty, new_residents, read, resident_at, start_resident, take_rest, wait_for_change, write,
)
from streambench.pyx.front.worker cimport Move, Worker
from streambench.pyx.machine.memory cimport has_memory
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters

from errno import EAGAIN

from streambench.pyx.machine.memory import OUT_OF_MEMORY

cdef enum:
    BOUND = 16                          # records in a stream
    STACK = 256 << 10                   # bytes, of a thread that calls no box
    MARKER = 2                          # `ends` of a word to the reader: go on with another stream
    LOOK_AGAIN_MS = 5


cdef class ThreadCrew(State):
    """Runs a network; see `Border` for what it is made of. ``threads``: how many entities
    there have been, after a run."""

    cdef Residents* residents
    cdef PaddedCounter* moving          # records in streams or being taken, and one while the input has not ended
    cdef readonly int64_t threads

    def __cinit__(self, *args, **kwargs):
        self.residents = new_residents()
        self.moving = new_counters(1)
        self.node_by_node = True

    def __dealloc__(self):
        delete_residents(self.residents)
        delete_counters(self.moving)

    cdef void work(self, int number) noexcept nogil:
        """The one worker of the crew takes records in, and waits for the entities' threads."""
        cdef Worker* worker = &self.each[0]
        cdef Resident* nobody = NULL
        work_for(<void*>self)
        self.moving.value.store(1)
        while self.stopped.value.load(memory_order_relaxed) == 0 and self.read(worker):
            self.hand_on(worker, nobody)
        if self.moving.value.fetch_sub(1, memory_order_acq_rel) > 1:
            while (self.stopped.value.load(memory_order_relaxed) == 0
                    and self.moving.value.load(memory_order_acquire) > 0):
                wait_for_change(self.residents, False, LOOK_AGAIN_MS)
        close_streams(self.residents)
        while count_alive(self.residents) > 0:
            wait_for_change(self.residents, True, LOOK_AGAIN_MS)
        self.threads = self.residents.made

    cdef bint send(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        self.go(worker, <Node*>entity.node - &self.graph.nodes[0], entity.frame, record)
        return True

    cdef void hand_on(self, Worker* worker, Resident* resident) noexcept nogil:
        """Write all that is on its way. What a dispatcher gives itself, when its initialisers
        have run, it takes at once."""
        cdef Move move
        cdef Resident* to
        cdef size_t bound
        cdef bint own
        while not worker.moves.empty() and self.stopped.value.load(memory_order_relaxed) == 0:
            move = worker.moves.back()
            worker.moves.pop_back()
            own = resident is not NULL and move.node == resident.node and move.frame is resident.frame
            if own and self.graph.nodes[resident.node].kind == Kind.DISPATCH:
                self.take_one(resident, move.record)
                continue
            to = self.at(resident, move.node, move.frame)
            if to is NULL:
                self.go(worker, move.node, move.frame, move.record)
                return
            bound = 0 if own else BOUND
            if resident is not NULL and self.graph.nodes[resident.node].kind == Kind.FEEDBACK:
                bound = BOUND if self.graph.nodes[resident.node].out == move.node else 0
            self.moving.value.fetch_add(1, memory_order_relaxed)
            if not write(&to.mailbox, move.record, bound):
                self.go(worker, move.node, move.frame, move.record)     # for the end
                return

    cdef Resident* at(self, Resident* writer, int64_t node, Frame* frame) noexcept nogil:
        """The entity of a node in a frame, its thread started when it is needed first; NULL: it could not be."""
        cdef bint is_new = False
        cdef Resident* resident
        if writer is not NULL and writer.last is not NULL and writer.last.node == node and writer.last.frame is frame:
            return writer.last
        resident = resident_at(self.residents, node, frame, is_new)
        if is_new:
            resident.crew = <void*>self
            self.equip(&resident.worker, &resident.pool, 0)
            if not start_resident(self.residents, resident, live, 0 if self.calls(node) else STACK):
                self.refuse()
                return NULL
        if writer is not NULL:
            writer.last = resident
        return resident

    cdef bint calls(self, int64_t node) noexcept nogil:
        """Whether an entity of the node may call Python: a box, or who takes what has left."""
        cdef int kind = self.graph.nodes[node].kind
        return kind == Kind.BOX or kind == Kind.DISPATCH or kind == Kind.OUT

    cdef void refuse(self) noexcept with gil:
        self.give_up(OSError(EAGAIN,
                             f"after {self.residents.made} entities no more threads could be started: use FRONT"))

    cdef void live_on(self, Resident* resident) noexcept nogil:
        """An entity's life: to the end of the run, or until it has handed its stream on."""
        cdef Stream* stream = &resident.mailbox
        cdef Worker* worker = &resident.worker
        cdef bint handed_on = False
        cdef Record* record
        cdef Entity* cell
        while not handed_on:
            record = read(stream)
            if record is NULL:
                return
            if record.ends == MARKER:
                stream = <Stream*><void*>record.values[self.graph.further]
                record.ends = 0
                self.drop(worker, record)
                # All that comes has failed this test before: the next cell may as well read it itself.
                if self.graph.nodes[resident.node].kind == Kind.STAGE:
                    handed_on = self.hand_over(resident, stream)
            else:
                self.take_one(resident, record)
                self.hand_on(worker, resident)
                if self.graph.nodes[resident.node].kind == Kind.SYNC and self.graph.nodes[resident.node].inner >= 0:
                    cell = self.entity_of(worker, resident.node, resident.frame)
                    handed_on = cell.done > 0 and self.hand_over(resident, stream)
            if (self.graph.nodes[resident.node].kind == Kind.OUT or not worker.dead.empty()) and is_empty(stream):
                if self.untidy(worker):
                    self.tidy(worker)
            self.moving.value.fetch_sub(1, memory_order_acq_rel)

    cdef bint hand_over(self, Resident* resident, Stream* stream) noexcept nogil:
        """Have the entity after this one, a test or the next replica's cell, read this one's stream from now on."""
        cdef Node* node = &self.graph.nodes[resident.node]
        cdef Frame* frame = resident.frame
        cdef Record* marker = take_record(&resident.pool)
        cdef Resident* to
        if node.kind == Kind.STAGE:
            frame = self.unfold(&resident.worker, node, frame, frame.home)
        to = self.at(resident, node.inner, frame)
        marker.ends = MARKER
        marker.values[self.graph.further] = <int64_t>stream     # not among the words of labels
        self.moving.value.fetch_add(1, memory_order_relaxed)
        if to is NULL or not write(&to.mailbox, marker, 0):
            marker.ends = 0
            self.drop(&resident.worker, marker)
            return False
        return True

    cdef void take_one(self, Resident* resident, Record* record) noexcept nogil:
        cdef Worker* worker = &resident.worker
        cdef int kind = self.graph.nodes[resident.node].kind
        if kind == Kind.BOX or kind == Kind.SYNC or kind == Kind.NUMBER or kind == Kind.ORDER:
            worker.steps += 1
            self.take(worker, self.entity_of(worker, resident.node, resident.frame), record)
        else:
            self.follow(worker, resident.node, resident.frame, record)

    cdef void clear(self):
        """What the threads have made goes as if the crew's worker had made it; with the records in their streams."""
        cdef Resident* resident = self.residents.latest
        cdef Record* record
        while self.residents.latest is not NULL:
            resident = self.residents.latest
            self.residents.latest = resident.made_before
            inherit(&self.each[0], resident)
            record = take_rest(&resident.mailbox)
            while record is not NULL:
                if record.ends == MARKER:
                    record.ends = 0
                self.let_go(record)
                record = take_rest(&resident.mailbox)
            delete_resident(resident)
        State.clear(self)


cdef void live(void* of) noexcept nogil:
    cdef Resident* resident = <Resident*>of
    work_for(resident.crew)
    if not has_memory(live_in_memory, of):
        starve(resident)
    end(resident)


cdef void live_in_memory(void* of) noexcept nogil:
    (<ThreadCrew>(<Resident*>of).crew).live_on(<Resident*>of)


cdef void starve(Resident* resident) noexcept with gil:
    (<ThreadCrew>resident.crew).give_up(MemoryError(OUT_OF_MEMORY))


cdef void end(Resident* resident) noexcept nogil:
    end_resident((<ThreadCrew>resident.crew).residents, resident, &(<ThreadCrew>resident.crew).each[0])

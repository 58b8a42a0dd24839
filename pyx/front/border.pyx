"""Records from dicts and back, boxes called, errors told: nearly all of it needs the GIL."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.atomic cimport memory_order_relaxed, memory_order_release
from libcpp.vector cimport vector
from streambench.pyx.front.native_box cimport Call, NativeBox, drop_given, field_of, lacks, object_of, run_box
from streambench.pyx.front.property_graph cimport Node, PropertyGraph
from streambench.pyx.front.records cimport FOREIGN, REST, copy_of, drop_values, lowest_bit, take_record
from streambench.pyx.front.worker cimport lock, unlock
from streambench.pyx.machine.memory cimport append, has_memory

import threading

from streambench.pyx.machine.memory import OUT_OF_MEMORY

cdef extern from * namespace "streambench":
    bint has_memory_with_gil "streambench::has_memory"(void (*body)(void*) noexcept, void* argument) noexcept

cdef enum:
    GIVEN_OUT = 256                     # records at a time
    MOST_KEPT = 64                      # dead objects where a native box is called: they may be large

cdef uint64_t ALL = ~<uint64_t>0


cdef class Border(Unfolding):
    """``labels``: the program's labels, the first two of which stand for what it does not know (see records.pxd).

    ``source``: an iterator of dicts by label, checked; ``emit``: called with lists of such dicts, in the order in which
    they leave; ``boxes``: called with (number of a box, dict of values), gives dicts; ``natives``: by number the boxes that
    are not called so, but as C; ``complain``: the error to be raised, of (number of a native box, text); ``initial``: by
    node the (number of box, node where what it gives goes) of a dispatcher's initialisers. ``error``: what a box or the source raised;
    ``failure``: (node, dict of the record) where a record could not go on. After `run`: ``waiting``, how many cells hold
    records.
    """

    def __init__(self, PropertyGraph graph, int workers, list labels, source, emit, boxes, dict initial,
                 list natives, complain):
        super().__init__(graph, workers)
        self.kept, self.complain = natives, complain
        for each in natives:
            self.natives.push_back(<void*>each if isinstance(each, NativeBox) else NULL)
            self.native = self.native or isinstance(each, NativeBox)
        self.names = labels
        self.numbers = {name: number for number, name in enumerate(labels)}
        self.source, self.emit, self.boxes, self.initial = source, emit, boxes, initial
        self.emitting = threading.Lock()

    def run(self, watch=None):
        """Start the workers, and return when all records have left, or something went wrong."""
        try:
            super().run(watch)
            self.flush()
            self.waiting = self.count_waiting()
        finally:
            self.clear()

    def give_out_now(self):
        """Have those listen who listen, also while boxes are busy: records that have left are given out."""
        self.flush()

    def stop(self):
        """Have the workers return soon; nothing more is taken in or given out."""
        self.token.stop()

    @property
    def steps(self) -> int:
        """How many times a node took a record."""
        return sum([self.each[k].steps for k in range(self.workers)])

    cdef void call(self, Worker* worker, Entity* entity, Record* record) noexcept with gil:
        """A box takes a record."""
        cdef Job job = Job(<void*>self, worker, entity, record, 0, NULL, NULL, False)
        self.within_memory(call_box, &job)

    cdef void call_native(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """A box takes a record, without the GIL."""
        cdef Node* node = <Node*>entity.node
        cdef Call call
        cdef Record* made
        cdef const vector[int32_t]* labels = &self.graph.places[node.first]
        cdef const vector[int32_t]* given
        cdef uint64_t gone
        cdef int64_t k
        cdef size_t j
        cdef int64_t* values
        if worker.dead.size() >= MOST_KEPT:
            self.tidy(worker)
        call.shape = &(<NativeBox>self.natives[node.label]).shape
        for j in range(labels.size()):
            append(call.input, record.values[labels[0][j]])
        run_box((<NativeBox>self.natives[node.label]).function, &call)
        if call.problem is NULL and lacks(&call):
            call.problem = b"gives a record without one of its fields"
        if call.problem is not NULL:
            drop_given(&call)
            self.refuse_native(node.label, call.problem)
            self.drop(worker, record)
            return
        for k in range(<int64_t>call.given.size() - 1, -1, -1):
            given = &self.graph.places[node.first + 1 + call.given[k].variant]
            values = call.values.data() + call.given[k].first
            made = copy_of(worker.pool, record) if k > 0 else record
            gone = made.labels & node.labels
            for j in range(given.size()):
                gone |= made.labels & <uint64_t>1 << given[0][j]
            drop_values(worker.pool, gone, made.values)
            made.labels &= ~gone
            for j in range(given.size()):
                made.values[given[0][j]] = values[j]
                made.labels |= <uint64_t>1 << given[0][j]
            self.go(worker, node.out, entity.frame, made)
        if call.given.size() == 0:
            self.drop(worker, record)

    cdef void refuse_native(self, int64_t box, const char* problem) noexcept with gil:
        try:
            self.give_up(self.complain(box, (<bytes>problem).decode(errors="replace")))
        except BaseException as other:
            self.give_up(other)

    cdef void start(self, Worker* worker, int64_t at, Frame* frame, Sequence* sequence) noexcept with gil:
        """A dispatcher's first record, of this sequence, has come: its initialisers run before it."""
        cdef Job job = Job(<void*>self, worker, NULL, NULL, at, frame, sequence, False)
        self.within_memory(start_boxes, &job)

    cdef bint read(self, Worker* worker) noexcept with gil:
        """Take in one: the source may be long in giving the next. What has left before is given out first. False: the
        input has ended."""
        cdef Job job = Job(<void*>self, worker, NULL, NULL, 0, NULL, NULL, True)
        self.flush()
        self.within_memory(read_record, &job)
        self.reading = False
        return job.more

    cdef void within_memory(self, void (*body)(void*) noexcept, Job* job) noexcept:
        """What C++ is refused must not leave a function that has the GIL."""
        if not has_memory_with_gil(body, job):
            self.give_up(MemoryError(OUT_OF_MEMORY))

    cdef void tidy(self, Worker* worker) noexcept with gil:
        """Nothing is kept without need: objects of dead records go, records that have left are given out."""
        self.bury(worker)
        self.flush()

    cdef void give_out(self, Record* record) noexcept nogil:
        cdef bint full
        lock(&self.shared.output)
        self.out.push_back(record)
        full = self.out.size() >= GIVEN_OUT
        unlock(&self.shared.output)
        if full:
            self.flush()

    cdef bint untidy(self, Worker* worker) noexcept nogil:
        """Whether there is anything for `tidy`."""
        cdef bint some
        lock(&self.shared.output)
        some = not self.out.empty()
        unlock(&self.shared.output)
        return some or not worker.dead.empty()

    cdef void flush(self) noexcept with gil:
        """What has left is given to who listens, by one thread at a time, so that it stays in order."""
        cdef Job job = Job(<void*>self, NULL, NULL, NULL, 0, NULL, NULL, False)
        try:
            with self.emitting:
                self.within_memory(give_records, &job)
        except BaseException as problem:
            self.give_up(problem)

    cdef void clear(self):
        """Everything goes, in whatever state a failed run has left it: also what has left and was not given out."""
        cdef int64_t k
        for k in range(<int64_t>self.out.size()):
            self.let_go(self.out[k])
        self.out.clear()
        Unfolding.clear(self)

    cdef dict seen(self, Record* record, uint64_t labels):
        """The record's values of ``labels``, by name."""
        cdef uint64_t left = record.labels & labels & ~<uint64_t>(1 << FOREIGN)
        cdef int label
        cdef dict values = {}
        while left:
            label = lowest_bit(left)
            left &= left - 1
            if label == REST:
                values.update(object_of(<Field*>record.values[label]))
            elif self.graph.fields >> label & 1:
                values[self.names[label]] = object_of(<Field*>record.values[label])
            else:
                values[self.names[label]] = record.values[label]
        return values

    cdef int put(self, Worker* worker, Record* record, uint64_t consumed, dict values) except -1:
        """The record loses what is ``consumed``, and has the ``values``."""
        cdef uint64_t given = 0, gone
        cdef dict rest = {}
        cdef int label
        for name in values:
            if name in self.numbers:
                given |= <uint64_t>1 << <int>self.numbers[name]
            else:
                rest[name] = values[name]
        if rest:
            given |= <uint64_t>1 << REST
            if any(name.startswith("<#") for name in rest):
                given |= <uint64_t>1 << FOREIGN
        gone = record.labels & (consumed | given)
        drop_values(worker.pool, gone, record.values)
        record.labels = (record.labels & ~gone) | given
        if rest:
            record.values[REST] = <int64_t>self.field(rest)
        if given >> FOREIGN & 1:
            record.values[FOREIGN] = 0
        for name, value in values.items():
            if name in self.numbers:
                label = self.numbers[name]
                record.values[label] = <int64_t>self.field(value) if self.graph.fields >> label & 1 else <int64_t>value
        return 0

    cdef Field* field(self, object value):
        return field_of(value, self.native)

    cdef void give_up(self, problem) noexcept:
        if self.error is None and self.failure is None:
            self.error = problem
        self.token.stop()

    cdef void fail(self, int64_t at, Worker* worker, Record* record) noexcept with gil:
        """The record cannot go on."""
        try:
            if self.error is None and self.failure is None:
                self.failure = (at, self.seen(record, ALL))
        except BaseException as problem:
            self.give_up(problem)
        self.token.stop()
        self.drop(worker, record)


# What has the GIL, and may be refused memory by Python or by C++.

cdef void call_box(void* of) noexcept:
    cdef Job* job = <Job*>of
    cdef Border border = <Border>job.border
    cdef Worker* worker = job.worker
    cdef Node* node = <Node*>job.entity.node
    cdef Record* made
    border.bury(worker)
    try:
        for values in reversed(border.boxes(node.label, border.seen(job.record, node.labels))):
            made = copy_of(worker.pool, job.record)
            border.put(worker, made, node.labels, values)
            border.go(worker, node.out, job.entity.frame, made)
    except BaseException as problem:
        border.give_up(problem)
    border.drop(worker, job.record)


cdef void start_boxes(void* of) noexcept:
    cdef Job* job = <Job*>of
    cdef Border border = <Border>job.border
    cdef Worker* worker = job.worker
    cdef Record* made
    try:
        for box, out in reversed(border.initial[job.at]):
            for values in reversed(border.boxes(box, {})):
                made = take_record(worker.pool)
                border.put(worker, made, 0, values)
                made.sequence = job.sequence
                if job.sequence is not NULL:        # the first record keeps it alive meanwhile
                    job.sequence.alive.fetch_add(1, memory_order_relaxed)
                border.go(worker, out, job.frame, made)
    except BaseException as problem:
        border.give_up(problem)


cdef void read_record(void* of) noexcept:
    cdef Job* job = <Job*>of
    cdef Border border = <Border>job.border
    cdef Worker* worker = job.worker
    cdef Record* made
    border.bury(worker)
    try:
        border.reading = True
        values = next(border.source, None)
        border.reading = False
        if values is None:
            border.shared.ended.store(1, memory_order_release)
            job.more = False
            return
        made = take_record(worker.pool)
        border.put(worker, made, 0, values)
        border.go(worker, 0, border.root, made)
    except BaseException as problem:
        border.give_up(problem)


cdef void give_records(void* of) noexcept:
    cdef Border border = <Border>(<Job*>of).border
    cdef vector[Record*] some
    cdef int64_t k
    lock(&border.shared.output)
    some.swap(border.out)
    unlock(&border.shared.output)
    try:
        given = []
        for k in range(<int64_t>some.size()):
            given.append(border.seen(some[k], ALL))
            border.let_go(some[k])
        if given:
            border.emit(given)
    except BaseException as problem:
        border.give_up(problem)

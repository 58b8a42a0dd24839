"""Records from dicts and back, boxes called, errors told: nearly all of it needs the GIL."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.algorithm cimport reverse
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst
from libcpp.vector cimport vector
from streambench.pyx.front.further_labels cimport add_label, is_among, lose_label, word_in, word_of
from streambench.pyx.front.native_box cimport Call, NativeBox, drop_given, field_of, lacks, object_of, run_box
from streambench.pyx.front.own_threads cimport work_for
from streambench.pyx.front.property_graph cimport Node, PropertyGraph
from streambench.pyx.front.records cimport FOREIGN, REST, copy_of, count_moving, drop_field, lowest_bit, take_record
from streambench.pyx.front.worker cimport IN_LONG_CALL, IN_NO_CALL, LONG_TICKS, append_locked, expect_call, is_long, lock, unlock
from streambench.pyx.machine.clock cimport ticks
from streambench.pyx.machine.memory cimport append, has_memory, lengthen
from streambench.pyx.machine.parking cimport wake_one
from streambench.pyx.machine.threads cimport sleep_ns

import threading

from streambench.pyx.machine.memory import OUT_OF_MEMORY

cdef extern from * namespace "streambench":
    bint has_memory_with_gil "streambench::has_memory"(void (*body)(void*) noexcept, void* argument) noexcept

cdef enum:
    GIVEN_OUT = 256                     # records at a time
    MOST_KEPT = 64                      # dead objects where a native box is called: they may be large
    LEAST_NAP_NS = 20_000               # of a worker that waits for who listens: ever longer, up to
    MOST_NAP_NS = 2_000_000


cdef class Border(Garbage):
    """``labels``: the program's labels; those without a name stand for words of labels and what the program does not know (see record_layout.pxd).

    ``source``: an iterator of dicts by label, checked; ``emit``: called with lists of such dicts, in the order in which
    they leave; ``boxes``: called with (number of a box, dict of values), gives dicts; ``natives``: by number the boxes that
    are not called so, but as C; ``complain``: the error to be raised, of (number of a native box, text); ``initial``: by
    node the (number of box, node where what it gives goes) of a dispatcher's initialisers. ``error``: what a box or the source raised;
    ``failure``: (node, dict of the record) where a record could not go on. After `run`: ``waiting``, how many cells hold
    records. ``credit``: as many records may be on their way before none is taken in, and have left before workers wait
    for who listens, who says by `taken` how many he has got. ``trace``: called with (worker, `What`, node, keys of the
    replicas around it, dict of the record, worker from whom an entity is taken over) at every step; None: by nobody.
    """

    def __init__(self, PropertyGraph graph, int workers, list labels, source, emit, boxes, dict initial,
                 list natives, complain, int64_t credit, trace=None):
        super().__init__(graph, workers)
        self.credit = credit
        self.kept, self.complain = natives, complain
        for each in natives:
            self.natives.push_back(<void*>each if isinstance(each, NativeBox) else NULL)
            self.native = self.native or isinstance(each, NativeBox)
        self.names = labels
        self.numbers = {name: number for number, name in enumerate(labels)}
        self.source, self.emit, self.boxes, self.initial = source, emit, boxes, initial
        self.emitting = threading.Lock()
        self.trace, self.traced = trace, trace is not None
        self.collects = self.collects and not self.traced       # a trace tells of the network as it unfolds

    def run(self, watch=None):
        """Start the workers, and return when all records have left, or something went wrong."""
        cdef Job job = Job(<void*>self, NULL, NULL, NULL, 0, NULL, NULL, False)
        cdef void* before = work_for(<void*>self)
        try:
            super().run(watch)
            self.flush()
            self.within_memory(count_all, &job)
        finally:
            self.within_memory(clear_all, &job)
            work_for(before)

    def give_out_now(self):
        """Have those listen who listen, also while boxes are busy: records that have left are given out."""
        self.flush()

    def taken(self, int64_t records):
        """Who listens has got so many of those that were given out."""
        self.shared.waiting.fetch_sub(records, memory_order_relaxed)

    def stop(self):
        """Have the workers return soon; nothing more is taken in or given out."""
        self.token.stop()

    @property
    def waits_for_source(self) -> bool:
        """Whether one worker waits for the next record, and no other is still at work."""
        return self.reading and self.running.value.load(memory_order_acquire) <= 1

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
        cdef int64_t k, begun
        cdef size_t j
        cdef int64_t* values
        if worker.dead.size() >= MOST_KEPT:
            self.tidy(worker)
        call.shape = &(<NativeBox>self.natives[node.label]).shape
        for j in range(labels.size()):
            append(call.input, record.values[labels[0][j]])
        begun = self.begin_call(worker, node.label)
        run_box((<NativeBox>self.natives[node.label]).function, &call)
        self.end_call(worker, node.label, begun)
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
            for j in range(labels.size()):
                lose_label(worker.pool, made, labels[0][j])
            for j in range(given.size()):
                lose_label(worker.pool, made, given[0][j])
                made.values[given[0][j]] = values[j]
                add_label(made, given[0][j])
            self.go(worker, node.out, entity.frame, made)
        if call.given.size() == 0:
            self.drop(worker, record)

    cdef int64_t begin_call(self, Worker* worker, size_t box) noexcept nogil:
        """While a call is long others may take over what waits on this worker's list, and take records in."""
        cdef int64_t begun = ticks()
        cdef bint long = is_long(worker, box)
        worker.since.store(IN_LONG_CALL if long else begun, memory_order_seq_cst)       # read before a worker sleeps
        if long and (worker.waiting.load(memory_order_relaxed) > 0 or self.shared.ended.load(memory_order_relaxed) == 0):
            wake_one(self.parking)
        return begun

    cdef void end_call(self, Worker* worker, size_t box, int64_t begun) noexcept nogil:
        """The next call of the box is expected to be as long."""
        worker.since.store(IN_NO_CALL, memory_order_relaxed)
        expect_call(worker, box, ticks() - begun > LONG_TICKS)

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
        self.leave(worker)
        self.within_memory(read_record, &job)
        self.come_back(worker)
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

    cdef int64_t on_their_way(self) noexcept nogil:
        """How many records there are, but for those in cells: right when nothing moves, else about so many.

        Each of them goes on without any more input, or waits for one that does, or for who listens: so whoever holds the
        input back as long as there are some does not wait for ever.
        """
        cdef int k
        cdef int64_t found = self.shared.waiting.load(memory_order_relaxed)
        for k in range(self.workers):
            found += self.pools[k].moving.load(memory_order_relaxed)
        return found

    cdef bint held_back(self) noexcept nogil:
        """Whether there are so many records that no more may come in."""
        return self.on_their_way() >= self.credit

    cdef void give_out(self, Worker* worker, Record* record) noexcept nogil:
        """The record has left. Where too many wait for who listens, the worker waits, too, with all that it has."""
        cdef bint full
        self.shared.waiting.fetch_add(1, memory_order_relaxed)
        count_moving(worker.pool, -1)
        full = append_locked(self.shared.output, self.out, record) >= GIVEN_OUT
        if full:
            self.flush()
        if self.shared.waiting.load(memory_order_relaxed) >= self.credit:
            self.wait_for_listener(worker)

    cdef void wait_for_listener(self, Worker* worker) noexcept nogil:
        cdef int64_t nap = LEAST_NAP_NS
        self.tidy(worker)
        while (self.shared.waiting.load(memory_order_relaxed) >= self.credit
                and self.stopped.value.load(memory_order_relaxed) == 0):
            sleep_ns(nap)
            nap = min(2 * nap, MOST_NAP_NS)
            if self.untidy(worker):                 # others have given out what nobody else flushes
                self.tidy(worker)

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
        cdef vector[Record*] some, more
        cdef size_t k
        with self.emitting:                     # who listens may be giving out, as long as the run has not returned
            some.swap(self.leaving)
            lock(&self.shared.output)
            more.swap(self.out)
            unlock(&self.shared.output)
        for k in range(some.size()):
            self.let_go(some[k])
        for k in range(more.size()):
            self.let_go(more[k])
        Garbage.clear(self)

    cdef dict seen(self, Record* record, Labels* asked):
        """The record's values of what is ``asked`` for (NULL: all), by name."""
        cdef uint64_t left
        cdef int64_t word, label
        cdef dict values = {}
        for word in range(self.graph.further + 1):
            left = word_in(record, word)[0]
            if asked is not NULL:
                left &= word_of(asked, word)
            while left:
                label = 64 * word + lowest_bit(left)
                left &= left - 1
                if label == self.graph.further + REST:
                    values.update(object_of(<Field*>record.values[label]))
                elif is_among(&self.graph.fields, label):
                    values[self.names[label]] = object_of(<Field*>record.values[label])
                elif label != self.graph.further + FOREIGN:
                    values[self.names[label]] = record.values[label]
        return values

    cdef int put(self, Worker* worker, Record* record, Labels* consumed, dict values) except -1:
        """The record loses what is ``consumed`` (NULL: nothing), and has the ``values``."""
        cdef vector[int64_t] given
        cdef dict rest = {}
        cdef int64_t label, word
        cdef size_t k
        cdef uint64_t left
        lengthen(worker.made, self.graph.labels)
        given.reserve(len(values) + 2)
        try:                                # the record is not touched before all values are there
            for name, value in values.items():
                if name in self.numbers:
                    label = self.numbers[name]
                    worker.made[label] = <int64_t>self.field(value) if is_among(&self.graph.fields, label) else <int64_t>value
                    given.push_back(label)
                else:
                    rest[name] = value
            if rest:
                worker.made[self.graph.further + REST] = <int64_t>self.field(rest)
                given.push_back(self.graph.further + REST)
                if any(name.startswith("<#") for name in rest):
                    worker.made[self.graph.further + FOREIGN] = 0
                    given.push_back(self.graph.further + FOREIGN)
        except BaseException:
            for k in range(given.size()):
                if is_among(&self.graph.fields, given[k]):
                    drop_field(worker.pool, <Field*>worker.made[given[k]])
            raise
        for word in range(self.graph.further + 1 if consumed is not NULL else 0):
            left = word_of(consumed, word) & word_in(record, word)[0]
            while left:
                lose_label(worker.pool, record, 64 * word + lowest_bit(left))
                left &= left - 1
        for k in range(given.size()):
            lose_label(worker.pool, record, given[k])
            record.values[given[k]] = worker.made[given[k]]
            add_label(record, given[k])
        return 0

    cdef int fill_in(self, Worker* worker, Record* record, Labels* consumed, dict values) except -1:
        """`put`, for a record that nobody else has: without its values it is no more."""
        try:
            return self.put(worker, record, consumed, values)
        except BaseException:
            self.drop(worker, record)
            raise

    cdef Field* field(self, object value):
        return field_of(value, self.native)

    cdef void give_up(self, problem) noexcept:
        if self.error is None and self.failure is None:
            self.error = problem
        self.token.stop()

    cdef void tell(self, Worker* worker, int what, int64_t at, Frame* frame, Record* record, int other=-1) noexcept with gil:
        """A step, for the trace."""
        cdef list keys = []
        try:
            while frame.home is not NULL:
                keys.append(frame.key)
                frame = frame.home
            self.trace(worker.number, what, at, tuple(reversed(keys)), {} if record is NULL else self.seen(record, NULL), other)
        except BaseException as problem:
            self.give_up(problem)

    cdef void fail(self, int64_t at, Worker* worker, Record* record) noexcept with gil:
        """The record cannot go on."""
        cdef Job job = Job(<void*>self, worker, NULL, record, at, NULL, NULL, False)
        self.within_memory(fail_record, &job)


# What has the GIL, and may be refused memory by Python or by C++.

cdef void call_box(void* of) noexcept:
    cdef Job* job = <Job*>of
    cdef Border border = <Border>job.border
    cdef Worker* worker = job.worker
    cdef Node* node = <Node*>job.entity.node
    cdef Record* made
    cdef int64_t begun
    border.bury(worker)
    try:
        begun = border.begin_call(worker, node.label)       # the GIL is there: to wait for it is no work
        given = border.boxes(node.label, border.seen(job.record, &node.labels))
        border.end_call(worker, node.label, begun)
        for values in reversed(given):
            made = copy_of(worker.pool, job.record)
            border.fill_in(worker, made, &node.labels, values)
            border.go(worker, node.out, job.entity.frame, made)
    except BaseException as problem:
        border.give_up(problem)
    border.drop(worker, job.record)


cdef void fail_record(void* of) noexcept:
    cdef Job* job = <Job*>of
    cdef Border border = <Border>job.border
    try:
        if border.error is None and border.failure is None:
            border.failure = (job.at, border.seen(job.record, NULL))
    except BaseException as problem:
        border.give_up(problem)
    border.token.stop()
    border.drop(job.worker, job.record)


cdef void start_boxes(void* of) noexcept:
    cdef Job* job = <Job*>of
    cdef Border border = <Border>job.border
    cdef Worker* worker = job.worker
    cdef Record* made
    cdef int64_t begun
    try:
        for box, at, out in reversed(border.initial[job.at]):
            if border.traced:
                border.tell(worker, What.STARTS, at, job.frame, NULL)
            begun = border.begin_call(worker, box)
            given = border.boxes(box, {})
            border.end_call(worker, box, begun)
            for values in reversed(given):
                made = take_record(worker.pool)
                border.fill_in(worker, made, NULL, values)
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
        border.fill_in(worker, made, NULL, values)
        border.go(worker, 0, border.root, made)
    except BaseException as problem:
        border.give_up(problem)


cdef void give_records(void* of) noexcept:
    cdef Border border = <Border>(<Job*>of).border
    cdef Record* record
    if not border.leaving.empty():      # memory was refused amid these: the run ends, and `clear` lets go of them
        return
    lock(&border.shared.output)
    border.leaving.swap(border.out)
    unlock(&border.shared.output)
    reverse(border.leaving.begin(), border.leaving.end())
    try:
        given = []
        while not border.leaving.empty():
            record = border.leaving.back()
            given.append(border.seen(record, NULL))
            border.leaving.pop_back()
            border.let_go(record)
        if given:
            border.emit(given)
    except BaseException as problem:
        border.give_up(problem)


cdef void count_all(void* of) noexcept:
    cdef Border border = <Border>(<Job*>of).border
    border.waiting = border.count_waiting()


cdef void clear_all(void* of) noexcept:
    (<Border>(<Job*>of).border).clear()

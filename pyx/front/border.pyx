"""Records are taken in, boxes and who follows a trace are called: nearly all of it needs the GIL."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst
from libcpp.vector cimport vector
from streambench.pyx.front.further_labels cimport add_label, lose_label
from streambench.pyx.front.native_box cimport Call, NativeBox, drop_given, lacks, run_box
from streambench.pyx.front.own_threads cimport work_for
from streambench.pyx.front.property_graph cimport Node, PropertyGraph
from streambench.pyx.front.records cimport copy_of, take_record
from streambench.pyx.front.values cimport Job
from streambench.pyx.front.worker cimport IN_LONG_CALL, IN_NO_CALL, LONG_TICKS, expect_call, is_long
from streambench.pyx.machine.clock cimport ticks
from streambench.pyx.machine.memory cimport append
from streambench.pyx.machine.parking cimport wake_one

cdef enum:
    MOST_KEPT = 64                      # dead objects where a native box is called: they may be large


cdef class Border(Output):
    """``source``: an iterator of dicts by label, checked; ``boxes``: called with (number of a box, dict of values),
    gives dicts; ``natives``: by number the boxes that are not called so, but as C; ``complain``: the error to be
    raised, of (number of a native box, text); ``initial``: by node the (number of box, node where what it gives goes)
    of a dispatcher's initialisers. After `run`: ``waiting``, how many cells hold records. ``trace``: called with
    (worker, `What`, node, keys of the replicas around it, dict of the record, worker from whom an entity is taken over)
    at every step; None: by nobody.
    """

    def __init__(self, PropertyGraph graph, int workers, list labels, source, emit, boxes, dict initial,
                 list natives, complain, int64_t credit, trace=None):
        super().__init__(graph, workers, labels, emit, credit)
        self.kept, self.complain = natives, complain
        for each in natives:
            self.natives.push_back(<void*>each if isinstance(each, NativeBox) else NULL)
            self.native = self.native or isinstance(each, NativeBox)
        self.source, self.boxes, self.initial = source, boxes, initial
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
        cdef Record* output
        cdef const vector[int32_t]* labels = &self.graph.places[node.first]
        cdef const vector[int32_t]* labels_put
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
            labels_put = &self.graph.places[node.first + 1 + call.given[k].variant]
            values = call.values.data() + call.given[k].first
            output = copy_of(worker.pool, record) if k > 0 else record
            for j in range(labels.size()):
                lose_label(worker.pool, output, labels[0][j])
            for j in range(labels_put.size()):
                lose_label(worker.pool, output, labels_put[0][j])
                output.values[labels_put[0][j]] = values[j]
                add_label(output, labels_put[0][j])
            self.go(worker, node.out, entity.frame, output)
        if call.given.size() == 0:
            self.drop(worker, record)

    cdef int64_t begin_call(self, Worker* worker, size_t box) noexcept nogil:
        """While a call is long others may take over what waits on this worker's list, and take records in."""
        cdef int64_t begun = ticks()
        cdef bint long = is_long(worker, box)
        worker.since.store(IN_LONG_CALL if long else begun, memory_order_seq_cst)       # read before a worker sleeps
        if long and (worker.waiting.load(memory_order_relaxed) > 0
                     or self.shared.ended.load(memory_order_relaxed) == 0):
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

    cdef void tell(self, Worker* worker, int what, int64_t at, Frame* frame, Record* record,
                   int other=-1) noexcept with gil:
        """A step, for the trace."""
        cdef list keys = []
        try:
            while frame.home is not NULL:
                keys.append(frame.key)
                frame = frame.home
            self.trace(worker.number, what, at, tuple(reversed(keys)),
                       {} if record is NULL else self.seen(record, NULL), other)
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
    cdef Record* output
    cdef int64_t begun
    border.bury(worker)
    try:
        begun = border.begin_call(worker, node.label)       # the GIL is there: to wait for it is no work
        outputs = border.boxes(node.label, border.seen(job.record, &node.labels))
        border.end_call(worker, node.label, begun)
        for values in reversed(outputs):
            output = copy_of(worker.pool, job.record)
            border.fill_in(worker, output, &node.labels, values)
            border.go(worker, node.out, job.entity.frame, output)
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
    cdef Record* output
    cdef int64_t begun
    try:
        for box, at, out in reversed(border.initial[job.at]):
            if border.traced:
                border.tell(worker, What.STARTS, at, job.frame, NULL)
            begun = border.begin_call(worker, box)
            outputs = border.boxes(box, {})
            border.end_call(worker, box, begun)
            for values in reversed(outputs):
                output = take_record(worker.pool)
                border.fill_in(worker, output, NULL, values)
                output.sequence = job.sequence
                if job.sequence is not NULL:        # the first record keeps it alive meanwhile
                    job.sequence.alive.fetch_add(1, memory_order_relaxed)
                border.go(worker, out, job.frame, output)
    except BaseException as problem:
        border.give_up(problem)


cdef void read_record(void* of) noexcept:
    cdef Job* job = <Job*>of
    cdef Border border = <Border>job.border
    cdef Worker* worker = job.worker
    cdef Record* record
    border.bury(worker)
    try:
        border.reading = True
        values = next(border.source, None)
        border.reading = False
        if values is None:
            border.shared.ended.store(1, memory_order_release)
            job.more = False
            return
        record = take_record(worker.pool)
        border.fill_in(worker, record, NULL, values)
        border.go(worker, 0, border.root, record)
    except BaseException as problem:
        border.give_up(problem)


cdef void count_all(void* of) noexcept:
    cdef Border border = <Border>(<Job*>of).border
    border.waiting = border.count_waiting()


cdef void clear_all(void* of) noexcept:
    (<Border>(<Job*>of).border).clear()

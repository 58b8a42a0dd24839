"""Records from dicts and back, boxes called, errors told: all that needs the GIL."""

from cpython.ref cimport Py_INCREF
from libc.stdint cimport int64_t, uint64_t
from libcpp.atomic cimport memory_order_relaxed, memory_order_release
from libcpp.vector cimport vector
from streambench.pyx.front.property_graph cimport Node, PropertyGraph
from streambench.pyx.front.records cimport FOREIGN, REST, copy_of, drop_values, lowest_bit, new_front_field, take_record
from streambench.pyx.front.worker cimport lock, unlock

import threading

cdef enum:
    GIVEN_OUT = 256                     # records at a time

cdef uint64_t ALL = ~<uint64_t>0


cdef class Border(Unfolding):
    """``labels``: the program's labels, the first two of which stand for what it does not know (see records.pxd).

    ``source``: an iterator of dicts by label, checked; ``emit``: called with lists of such dicts, in the order in which
    they leave; ``boxes``: called with (number of a box, dict of values), gives dicts; ``initial``: by node the (number of
    box, node where what it gives goes) of a dispatcher's initialisers. ``error``: what a box or the source raised;
    ``failure``: (node, dict of the record) where a record could not go on.
    """

    def __init__(self, PropertyGraph graph, int workers, list labels, source, emit, boxes, dict initial):
        super().__init__(graph, workers)
        self.names = labels
        self.numbers = {name: number for number, name in enumerate(labels)}
        self.source, self.emit, self.boxes, self.initial = source, emit, boxes, initial
        self.emitting = threading.Lock()

    cdef void call(self, Worker* worker, Entity* entity, Record* record) noexcept with gil:
        """A box takes a record."""
        cdef Node* node = <Node*>entity.node
        cdef Record* made
        cdef int64_t at = worker.moves.size()
        self.bury(worker)
        try:
            for values in reversed(self.boxes(node.label, self.seen(record, node.labels))):
                made = copy_of(&self.pools[worker.number], record)
                self.put(worker, made, node.labels, values)
                self.go(worker, node.out, entity.frame, made)
        except BaseException as problem:
            self.give_up(problem)
        self.drop(worker, record)

    cdef void start(self, Worker* worker, int64_t at, Frame* frame, Sequence* sequence) noexcept with gil:
        """A dispatcher's first record, of this sequence, has come: its initialisers run before it."""
        cdef Node* node = &self.graph.nodes[at]
        cdef Record* made
        try:
            for box, out in reversed(self.initial[at]):
                for values in reversed(self.boxes(box, {})):
                    made = take_record(&self.pools[worker.number])
                    self.put(worker, made, 0, values)
                    made.sequence = sequence
                    if sequence is not NULL:        # the first record keeps it alive meanwhile
                        sequence.alive.fetch_add(1, memory_order_relaxed)
                    self.go(worker, out, frame, made)
        except BaseException as problem:
            self.give_up(problem)

    cdef bint read(self, Worker* worker) noexcept with gil:
        """Take in one: the source may be long in giving the next. What has left before is given out first."""
        cdef Record* made
        self.bury(worker)
        self.flush()
        try:
            values = next(self.source, None)
            if values is None:
                self.shared.ended.store(1, memory_order_release)
                return False
            made = take_record(&self.pools[worker.number])
            self.put(worker, made, 0, values)
            self.go(worker, 0, self.root, made)
        except BaseException as problem:
            self.give_up(problem)
        return True

    cdef void give_out(self, Record* record) noexcept nogil:
        cdef bint full
        lock(&self.shared.output)
        self.out.push_back(record)
        full = self.out.size() >= GIVEN_OUT
        unlock(&self.shared.output)
        if full:
            self.flush()

    cdef void flush_if_any(self) noexcept nogil:
        cdef bint some
        lock(&self.shared.output)
        some = not self.out.empty()
        unlock(&self.shared.output)
        if some:
            self.flush()

    cdef void flush(self) noexcept with gil:
        """What has left is given to who listens, by one worker at a time, so that it stays in order."""
        cdef vector[Record*] some
        cdef int64_t k
        try:
            with self.emitting:
                lock(&self.shared.output)
                some.swap(self.out)
                unlock(&self.shared.output)
                given = []
                for k in range(<int64_t>some.size()):
                    given.append(self.seen(some[k], ALL))
                    self.let_go(some[k])
                if given:
                    self.emit(given)
        except BaseException as problem:
            self.give_up(problem)

    cdef dict seen(self, Record* record, uint64_t labels):
        """The record's values of ``labels``, by name."""
        cdef uint64_t left = record.labels & labels & ~<uint64_t>(1 << FOREIGN)
        cdef int label
        cdef dict values = {}
        while left:
            label = lowest_bit(left)
            left &= left - 1
            if label == REST:
                values.update(<object>(<Field*>record.values[label]).object)
            elif self.graph.fields >> label & 1:
                values[self.names[label]] = <object>(<Field*>record.values[label]).object
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
        drop_values(&self.pools[worker.number], gone, record.values)
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
        Py_INCREF(value)
        return new_front_field(<void*>value)

    cdef void give_up(self, problem):
        if self.error is None and self.failure is None:
            self.error = problem
        self.token.stop()

    cdef void fail(self, int64_t at, Worker* worker, Record* record) noexcept with gil:
        """The record cannot go on."""
        if self.error is None and self.failure is None:
            self.failure = (at, self.seen(record, ALL))
        self.token.stop()
        self.drop(worker, record)

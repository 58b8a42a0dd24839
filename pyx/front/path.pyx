"""What keeps no state happens to a record on its way: filters, dispatchers, tests, scopes, replicas found."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from streambench.pyx.front.border cimport GIVES_OUT, TAKES, TAKES_IN
from streambench.pyx.front.entities cimport Entity, Mark
from streambench.pyx.front.further_labels cimport accepts, change_further, equal_further, has_label, is_among
from streambench.pyx.front.property_graph cimport Body, Item, Kind, is_entity
from streambench.pyx.front.records cimport Field, Labels, Pool, copy_of, drop_values, hide, restore
from streambench.pyx.front.worker cimport Move
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.machine.threads cimport yield_core

cdef enum:
    MOST_ITEMS = 64                     # of an output: the values of more do not fit on the stack

cdef enum Step:
    PASSED                              # the record is at a further node
    SHUT                                # what it has found is shut: it tries again from the frame that is there now
    REFUSED                             # it does not fit the node
    GONE                                # it has left the network, waits elsewhere, or is no more

cdef struct Position:
    int64_t at                          # a node
    Frame* frame
    Record* record


cdef class Path(Border):
    """Brings records to entities."""

    cdef void walk(self, Worker* worker) noexcept nogil:
        """Bring all records to entities; those that are on their way when the run is
        stopped stay there, for the end."""
        cdef Move move
        while not worker.moves.empty() and self.stopped.value.load(memory_order_relaxed) == 0:
            move = worker.moves.back()
            worker.moves.pop_back()
            self.follow(worker, move.node, move.frame, move.record)

    cdef void follow(self, Worker* worker, int64_t at, Frame* frame, Record* record) noexcept nogil:
        """A record through nodes without state, up to an entity; if there are several
        outputs, the others are `moves`."""
        cdef Node* node
        cdef Step step
        cdef bint further = False
        cdef Position now
        now.at, now.frame, now.record = at, frame, record
        while True:
            # A loop may have no end.
            if (further and self.node_by_node) or self.stopped.value.load(memory_order_relaxed):
                self.go(worker, now.at, now.frame, now.record)
                return
            further = True
            node = &self.graph.nodes[now.at]
            worker.steps += 1
            if self.traced and not is_entity(node):
                self.tell(worker, TAKES_IN if now.at == 0 else GIVES_OUT if node.kind == Kind.OUT else TAKES,
                          now.at, now.frame, now.record)
            step = pass_node(self, worker, node, &now)
            if step == SHUT:
                now.frame = self.anew(worker, now.frame)
            elif step == REFUSED:
                self.fail(now.at, worker, now.record)
                return
            elif step == GONE:
                return

    cdef Frame* anew(self, Worker* worker, Frame* frame) noexcept nogil:
        """Where a record goes on that has found something shut: the node has not taken it."""
        worker.steps -= 1
        yield_core()                    # a cell's slot may be about to say that it is over
        return self.current(worker, frame)

    cdef bint filter(self, Worker* worker, Node* node, Frame* frame, Record** record) noexcept nogil:
        """``record`` becomes the first output, NULL where there is none; the others go on
        later. False: division by zero."""
        cdef Record* whole = record[0]
        cdef Record* other
        cdef Body* body = &self.graph.bodies[node.inner]
        cdef int64_t value
        cdef int32_t k
        while body.guard >= 0:
            if not self.graph.evaluate(body.guard, whole.values, &value):
                return False
            body = &self.graph.bodies[body.first if value else body.second]
        if body.second == 0:
            self.drop(worker, whole)
            record[0] = NULL
            return True
        for k in range(body.first + body.second - 1, body.first, -1):
            other = copy_of(worker.pool, whole)
            if not self.fill(worker, node, &self.graph.outputs[k], other):
                self.drop(worker, other)
                return False
            self.go(worker, node.out, frame, other)
        return self.fill(worker, node, &self.graph.outputs[body.first], whole)

    cdef bint fill(self, Worker* worker, Node* node, Output* output, Record* record) noexcept nogil:
        """The record, the filter's input, becomes an output of it."""
        cdef int64_t[MOST_ITEMS] few
        cdef int64_t* values = few
        cdef Item* item
        cdef int32_t k
        cdef uint64_t dropped
        cdef Pool* pool = worker.pool
        if output.items > MOST_ITEMS:
            lengthen(worker.made, output.items)
            values = worker.made.data()
        for k in range(output.items):
            item = &self.graph.items[output.first_item + k]
            if item.source >= 0:
                values[k] = record.values[item.source]
                if is_among(&pool.fields, item.label):
                    (<Field*>values[k]).owners.fetch_add(1, memory_order_relaxed)
            elif item.expression < 0:
                values[k] = 0
            elif not self.graph.evaluate(item.expression, record.values, &values[k]):
                for k in range(k):
                    if is_among(&pool.fields, self.graph.items[output.first_item + k].label):
                        (<Field*>values[k]).owners.fetch_sub(1, memory_order_relaxed)     # the record still has it
                return False
        dropped = record.labels & (node.labels.first | output.labels.first)
        if dropped & pool.fields.first:
            drop_values(pool, dropped, record.values)
        record.labels = (record.labels & ~node.labels.first) | output.labels.first
        if pool.further:
            change_further(pool, record, &node.labels, &output.labels)
        for k in range(output.items):
            record.values[self.graph.items[output.first_item + k].label] = values[k]
        return True


cdef bint is_just(Pool* pool, Labels* labels, Record* record) noexcept nogil:
    """Whether the record has these labels and no others."""
    return labels.first == record.labels and (pool.further == 0 or equal_further(pool, labels, record))


cdef inline Step pass_node(Path self, Worker* worker, Node* node, Position* now) noexcept nogil:
    """What one node does with the record."""
    if node.kind == Kind.FILTER:
        return pass_filter(self, worker, node, now)
    if node.kind == Kind.DISPATCH:
        return pass_dispatch(self, worker, node, now)
    if node.kind == Kind.STAR or node.kind == Kind.STAGE:
        return pass_star(self, worker, node, now)
    if node.kind == Kind.SPLIT:
        return pass_split(self, worker, node, now)
    if node.kind == Kind.HOME:
        now.frame = now.frame.home
        now.at = node.out
        return PASSED
    if node.kind == Kind.FEEDBACK:
        return pass_feedback(self, worker, node, now)
    if node.kind == Kind.ENTER:
        return enter_scope(self, worker, node, now)
    if node.kind == Kind.LEAVE:
        return leave_scope(self, worker, node, now)
    if node.kind == Kind.OUT:
        self.give_out(worker, now.record)
        return GONE
    return reach_entity(self, worker, node, now)


cdef inline Step pass_filter(Path self, Worker* worker, Node* node, Position* now) noexcept nogil:
    cdef Record* record = now.record       # apart: else the whole position would have to lie in memory
    if not accepts(worker.pool, &node.labels, record) or not self.filter(worker, node, now.frame, &record):
        return REFUSED
    now.record = record
    now.at = node.out
    return GONE if record is NULL else PASSED


cdef inline Step pass_dispatch(Path self, Worker* worker, Node* node, Position* now) noexcept nogil:
    """To the branch that takes the record; the first record starts what the node's branches begin with."""
    cdef int64_t branch
    cdef void* started
    if node.slot >= 0:
        started = now.frame.slots[node.slot].load(memory_order_acquire)
        if started is NULL and now.frame.slots[node.slot].compare_exchange_strong(
                started, <void*><size_t>Mark.STARTED, memory_order_acq_rel, memory_order_acquire):
            self.go(worker, now.at, now.frame, now.record)
            self.start(worker, now.at, now.frame, now.record.sequence)
            return GONE
        if started is <void*><size_t>Mark.SHUT:
            return SHUT
    branch = branch_of(self, worker, node, now.record)
    if branch < 0:
        return REFUSED
    now.at = self.graph.branches[branch].node
    return PASSED


cdef inline Step pass_star(Path self, Worker* worker, Node* node, Position* now) noexcept nogil:
    """Out of the star where the record matches, else into its next replica."""
    cdef Frame* after
    cdef int matched = self.graph.matches(worker.pool, node, now.record)
    if matched < 0:
        return REFUSED
    if matched:
        if node.kind == Kind.STAGE and node.size > 0:
            now.frame = now.frame.home
        now.at = node.out
        return PASSED
    if node.size > 0:
        after = self.unfold(worker, node, now.frame,
                            now.frame.home if node.kind == Kind.STAGE else now.frame)
        if after is NULL:
            return SHUT
        if (self.collects and self.graph.nodes[node.inner].kind == Kind.SYNC
                and self.graph.nodes[node.inner].inner >= 0):
            after = self.past_spent(worker, node, now.frame, after)
        now.frame = after
    now.at = node.inner
    return PASSED


cdef inline Step pass_split(Path self, Worker* worker, Node* node, Position* now) noexcept nogil:
    """To the replica for the value of the split's tag."""
    cdef Frame* after
    if not has_label(now.record, node.label):
        return REFUSED
    if node.size > 0:
        after = self.replica_of(worker, node, now.frame, now.record.values[node.label])
        if after is NULL:
            return SHUT
        now.frame = after
    now.at = node.inner
    return PASSED


cdef inline Step pass_feedback(Path self, Worker* worker, Node* node, Position* now) noexcept nogil:
    cdef int matched = self.graph.matches(worker.pool, node, now.record)
    if matched < 0:
        return REFUSED
    now.at = node.inner if matched else node.out
    return PASSED


cdef inline Step enter_scope(Path self, Worker* worker, Node* node, Position* now) noexcept nogil:
    """Hide all labels but those of the branch that takes the record."""
    cdef int64_t branch = branch_of(self, worker, node, now.record)
    if branch < 0:
        return REFUSED
    hide(worker.pool, now.record, &self.graph.branches[branch].labels)
    now.at = node.out
    return PASSED


cdef inline Step leave_scope(Path self, Worker* worker, Node* node, Position* now) noexcept nogil:
    """Restore what was hidden from a record that has just the labels of a branch."""
    cdef int32_t k
    cdef bint declared = node.count == 0
    for k in range(node.first, node.first + node.count):
        declared = declared or is_just(worker.pool, &self.graph.branches[k].labels, now.record)
    if not declared:
        return REFUSED
    restore(worker.pool, now.record)
    now.at = node.out
    return PASSED


cdef inline Step reach_entity(Path self, Worker* worker, Node* node, Position* now) noexcept nogil:
    cdef Entity* entity = self.entity_of(worker, now.at, now.frame)
    if entity is <Entity*><size_t>Mark.SPENT:               # a cell that is the identity
        now.at = node.out
        return PASSED
    if entity is not <Entity*><size_t>Mark.SHUT and self.send(worker, entity, now.record):
        return GONE
    return SHUT


cdef inline int64_t branch_of(Path self, Worker* worker, Node* node, Record* record) noexcept nogil:
    """The node's first branch that takes the record; -1: none does."""
    cdef int32_t k
    for k in range(node.first, node.first + node.count):
        if accepts(worker.pool, &self.graph.branches[k].labels, record):
            return k
    return -1

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
        cdef int32_t k
        cdef int found
        cdef bint further = False
        cdef void* started
        cdef Frame* after
        cdef Entity* entity
        while True:
            # A loop may have no end.
            if (further and self.node_by_node) or self.stopped.value.load(memory_order_relaxed):
                self.go(worker, at, frame, record)
                return
            further = True
            node = &self.graph.nodes[at]
            worker.steps += 1
            if self.traced and not is_entity(node):
                self.tell(worker, TAKES_IN if at == 0 else GIVES_OUT if node.kind == Kind.OUT else TAKES, at, frame,
                          record)
            if node.kind == Kind.FILTER:
                if not accepts(worker.pool, &node.labels, record):
                    self.fail(at, worker, record)
                    return
                if not self.filter(worker, node, frame, &record):
                    self.fail(at, worker, record)
                    return
                if record is NULL:
                    return
                at = node.out
            elif node.kind == Kind.DISPATCH:
                if node.slot >= 0:
                    started = frame.slots[node.slot].load(memory_order_acquire)
                    if started is NULL and frame.slots[node.slot].compare_exchange_strong(
                            started, <void*><size_t>Mark.STARTED, memory_order_acq_rel, memory_order_acquire):
                        self.go(worker, at, frame, record)
                        self.start(worker, at, frame, record.sequence)
                        return
                    if started is <void*><size_t>Mark.SHUT:
                        frame = self.anew(worker, frame)
                        continue
                for k in range(node.first, node.first + node.count):
                    if accepts(worker.pool, &self.graph.branches[k].labels, record):
                        break
                else:
                    self.fail(at, worker, record)
                    return
                at = self.graph.branches[k].node
            elif node.kind == Kind.STAR or node.kind == Kind.STAGE:
                found = self.graph.matches(worker.pool, node, record)
                if found < 0:
                    self.fail(at, worker, record)
                    return
                if found:
                    at = node.out
                    if node.kind == Kind.STAGE and node.size > 0:
                        frame = frame.home
                elif node.size > 0:
                    after = self.unfold(worker, node, frame, frame.home if node.kind == Kind.STAGE else frame)
                    if after is NULL:
                        frame = self.anew(worker, frame)
                        continue
                    at = node.inner
                    if self.collects and self.graph.nodes[at].kind == Kind.SYNC and self.graph.nodes[at].inner >= 0:
                        after = self.past_spent(worker, node, frame, after)
                    frame = after
                else:
                    at = node.inner
            elif node.kind == Kind.SPLIT:
                if not has_label(record, node.label):
                    self.fail(at, worker, record)
                    return
                if node.size > 0:
                    after = self.replica_of(worker, node, frame, record.values[node.label])
                    if after is NULL:
                        frame = self.anew(worker, frame)
                        continue
                    frame = after
                at = node.inner
            elif node.kind == Kind.HOME:
                frame = frame.home
                at = node.out
            elif node.kind == Kind.FEEDBACK:
                found = self.graph.matches(worker.pool, node, record)
                if found < 0:
                    self.fail(at, worker, record)
                    return
                at = node.inner if found else node.out
            elif node.kind == Kind.ENTER:
                for k in range(node.first, node.first + node.count):
                    if accepts(worker.pool, &self.graph.branches[k].labels, record):
                        break
                else:
                    self.fail(at, worker, record)
                    return
                hide(worker.pool, record, &self.graph.branches[k].labels)
                at = node.out
            elif node.kind == Kind.LEAVE:
                found = node.count == 0
                for k in range(node.first, node.first + node.count):
                    found = found or is_just(worker.pool, &self.graph.branches[k].labels, record)
                if not found:
                    self.fail(at, worker, record)
                    return
                restore(worker.pool, record)
                at = node.out
            elif node.kind == Kind.OUT:
                self.give_out(worker, record)
                return
            else:
                entity = self.entity_of(worker, at, frame)
                if entity is <Entity*><size_t>Mark.SPENT:       # a cell that is the identity
                    at = node.out
                    continue
                if entity is not <Entity*><size_t>Mark.SHUT and self.send(worker, entity, record):
                    return
                frame = self.anew(worker, frame)

    cdef Frame* anew(self, Worker* worker, Frame* frame) noexcept nogil:
        """Where a record goes on that has found something shut: the node has not taken it."""
        worker.steps -= 1
        yield_core()                    # a cell's slot may be about to say that it is over
        return self.current(worker, frame)

    cdef bint filter(self, Worker* worker, Node* node, Frame* frame, Record** record) noexcept nogil:
        """``record`` becomes the first output, NULL where there is none; the others go on
        later. False: division by zero."""
        cdef Record* given = record[0]
        cdef Record* other
        cdef Body* body = &self.graph.bodies[node.inner]
        cdef int64_t value
        cdef int32_t k
        while body.guard >= 0:
            if not self.graph.evaluate(body.guard, given.values, &value):
                return False
            body = &self.graph.bodies[body.first if value else body.second]
        if body.second == 0:
            self.drop(worker, given)
            record[0] = NULL
            return True
        for k in range(body.first + body.second - 1, body.first, -1):
            other = copy_of(worker.pool, given)
            if not self.fill(worker, node, &self.graph.outputs[k], other):
                self.drop(worker, other)
                return False
            self.go(worker, node.out, frame, other)
        return self.fill(worker, node, &self.graph.outputs[body.first], given)

    cdef bint fill(self, Worker* worker, Node* node, Output* output, Record* record) noexcept nogil:
        """The record, the filter's input, becomes an output of it."""
        cdef int64_t[MOST_ITEMS] few
        cdef int64_t* made = few
        cdef Item* item
        cdef int32_t k
        cdef uint64_t dropped
        cdef Pool* pool = worker.pool
        if output.items > MOST_ITEMS:
            lengthen(worker.made, output.items)
            made = worker.made.data()
        for k in range(output.items):
            item = &self.graph.items[output.first_item + k]
            if item.source >= 0:
                made[k] = record.values[item.source]
                if is_among(&pool.fields, item.label):
                    (<Field*>made[k]).owners.fetch_add(1, memory_order_relaxed)
            elif item.expression < 0:
                made[k] = 0
            elif not self.graph.evaluate(item.expression, record.values, &made[k]):
                for k in range(k):
                    if is_among(&pool.fields, self.graph.items[output.first_item + k].label):
                        (<Field*>made[k]).owners.fetch_sub(1, memory_order_relaxed)     # the record still has it
                return False
        dropped = record.labels & (node.labels.first | output.labels.first)
        if dropped & pool.fields.first:
            drop_values(pool, dropped, record.values)
        record.labels = (record.labels & ~node.labels.first) | output.labels.first
        if pool.further:
            change_further(pool, record, &node.labels, &output.labels)
        for k in range(output.items):
            record.values[self.graph.items[output.first_item + k].label] = made[k]
        return True


cdef bint is_just(Pool* pool, Labels* labels, Record* record) noexcept nogil:
    """Whether the record has these labels and no others."""
    return labels.first == record.labels and (pool.further == 0 or equal_further(pool, labels, record))

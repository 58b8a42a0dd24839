"""Cells join records, also all replicas of a star as one; sequence numbers put records in order."""

from libc.stdint cimport int64_t, uint64_t
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.front.border cimport TAKES
from streambench.pyx.front.entities cimport Mark, add_partial, keep_early, keep_ended, take_early, take_ended
from streambench.pyx.front.further_labels cimport accepts, add_further
from streambench.pyx.front.property_graph cimport Kind, Pattern
from streambench.pyx.front.records cimport (
    Pool, Sequence, count_moving, delete_front_sequence, drop_all, give_record, lowest_bit, new_front_sequence,
    share_values,
)
from streambench.pyx.machine.memory cimport append, lengthen
from streambench.pyx.machine.threads cimport pause_briefly


cdef class State(Path):
    """Entities, which one worker has at a time."""

    cdef void take(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """What an entity does with a record; what comes of it are `moves`."""
        cdef Node* node = <Node*>entity.node
        if self.traced and record.ends == 0:
            self.tell(worker, TAKES, node - &self.graph.nodes[0], entity.frame, record)
        if node.kind == Kind.BOX:
            if accepts(worker.pool, &node.labels, record):
                if self.natives[node.label] is not NULL:
                    self.call_native(worker, entity, record)
                else:
                    self.call(worker, entity, record)
            else:
                self.fail(node - &self.graph.nodes[0], worker, record)
        elif node.kind == Kind.NUMBER:
            self.number(worker, entity, record)
        elif node.kind == Kind.ORDER:
            self.order(worker, entity, record)
        else:
            self.join(worker, entity, record)

    cdef void join(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """A cell, or a star around one: its replicas' partial matches stand in a row, those that are over left out.

        The first replica that lacks a slot is ever further on, so that none is looked at in vain.
        """
        cdef Node* node = <Node*>entity.node
        cdef int64_t stage = -1, k
        cdef bint fits = False
        cdef int64_t value
        cdef Pattern* pattern
        cdef Partial* partial
        cdef bint zipper = node.kind == Kind.ZIPPER
        if entity.first_free.size() == 0:
            lengthen(entity.first_free, node.count)
            lengthen(entity.fits, node.count)
        if zipper and accepts(worker.pool, &node.labels, record):       # it may leave at once
            self.go(worker, node.out, entity.frame, record)
            return
        if zipper or entity.done == 0:
            while not fits and self.next_stage(worker.pool, node, entity, record, &stage) and (zipper or stage == 0):
                for k in range(node.count):     # a guard is asked where its slot is free
                    pattern = &self.graph.patterns[node.first + k]
                    entity.fits[k] = False
                    if entity.first_free[k] > stage or not accepts(worker.pool, &pattern.labels, record):
                        continue
                    if pattern.guard >= 0:
                        if not self.graph.evaluate(pattern.guard, record.values, &value):
                            self.fail(node - &self.graph.nodes[0], worker, record)
                            return
                        if not value:
                            continue
                    entity.fits[k] = fits = True
        if not fits:
            if zipper:                  # it would pass on for ever
                self.fail(node - &self.graph.nodes[0], worker, record)
            else:
                self.go(worker, node.out, entity.frame, record)
            return
        if stage - entity.done >= <int64_t>entity.partials.size():
            add_partial(entity, node.count)
        partial = &entity.partials[stage - entity.done]
        for k in range(node.count):
            if entity.fits[k]:              # at the first replica that lacks it: a guard says the same of all
                partial.slots[k] = record
                partial.filled += 1
                entity.first_free[k] = stage + 1
        if partial.filled < node.count:
            self.release(worker, record)
            return
        record = self.merged(worker, node, partial, record)
        while not entity.partials.empty() and entity.partials[0].filled == node.count:
            entity.partials.pop_front()
            entity.done += 1
        self.go(worker, node.out, entity.frame, record)

    cdef bint next_stage(self, Pool* pool, Node* node, Entity* entity, Record* record, int64_t* stage) noexcept nogil:
        """The first replica after ``stage`` that begins to lack a slot whose labels the record has."""
        cdef int64_t k, least = -1
        for k in range(node.count):
            if entity.first_free[k] > stage[0] and (least < 0 or entity.first_free[k] < least):
                if accepts(pool, &self.graph.patterns[node.first + k].labels, record):
                    least = entity.first_free[k]
        stage[0] = least
        return least >= 0

    cdef void release(self, Worker* worker, Record* record) noexcept nogil:
        """The record waits in a cell: nobody waits for what it causes, and it is not on its way."""
        cdef Sequence* sequence = record.sequence
        count_moving(worker.pool, -1)
        record.sequence = NULL
        self.leave_sequence(worker, sequence)

    cdef Record* merged(self, Worker* worker, Node* node, Partial* partial, Record* last) noexcept nogil:
        """The first slot's record, with what the others' patterns ask for and it lacks; its
        cause is the last that came."""
        cdef Record* first = partial.slots[0]
        cdef Record* other
        cdef int64_t k, j
        cdef uint64_t more, left
        cdef int label
        cdef Sequence* sequence = last.sequence
        cdef Pool* pool = worker.pool
        last.sequence = NULL
        for k in range(1, node.count):
            other = partial.slots[k]
            if other is first:
                continue
            more = self.graph.patterns[node.first + k].labels.first & ~first.labels
            share_values(pool, more, other.values)
            first.labels |= more
            left = more
            while left:
                label = lowest_bit(left)
                left &= left - 1
                first.values[label] = other.values[label]
            if pool.further:
                add_further(pool, first, self.graph.patterns[node.first + k].labels.further, other.values)
        for k in range(1, node.count):
            other = partial.slots[k]
            for j in range(k):
                if partial.slots[j] is other:
                    break
            else:
                count_moving(pool, 1)               # but for the last they have waited here
                drop_all(pool, other.labels, other.values)
                give_record(pool, other)
        first.sequence = sequence
        return first

    cdef void number(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """A deterministic combinator begins: what comes of this record has the next number."""
        cdef Node* node = <Node*>entity.node
        cdef Sequence* sequence = new_front_sequence()
        cdef Entity* collector
        sequence.number = entity.number
        entity.number += 1
        sequence.outer = record.sequence
        collector = self.entity_of(worker, node.inner, entity.frame)
        while collector is <Entity*><size_t>Mark.SHUT:          # for a moment: this worker has an entity of that frame
            pause_briefly()
            collector = self.entity_of(worker, node.inner, entity.frame)
        sequence.collector = <void*>collector
        record.sequence = sequence
        self.go(worker, node.out, entity.frame, record)

    cdef void order(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """A deterministic combinator ends: records of the awaited number pass, those of later ones wait for
        the word that it has ended."""
        cdef Node* node = <Node*>entity.node
        cdef vector[Record*] passing
        cdef Sequence* sequence = record.sequence
        cdef Sequence* outer
        cdef int64_t k
        if not record.ends:
            if sequence.number != entity.number:
                keep_early(entity, sequence.number, record)
                return
            append(passing, record)
        else:
            give_record(worker.pool, record)
            keep_ended(entity, sequence.number, <void*>sequence)
            count_moving(worker.pool, 1)        # it waits for those that are on their way, as records do
            sequence = <Sequence*>take_ended(entity, entity.number)
            while sequence is not NULL:
                count_moving(worker.pool, -1)
                entity.number += 1
                outer = sequence.outer
                delete_front_sequence(sequence)
                self.leave_sequence(worker, outer)
                if take_early(entity, entity.number, passing):
                    break               # they are alive, so that their sequence has not ended
                sequence = <Sequence*>take_ended(entity, entity.number)
        for k in range(<int64_t>passing.size() - 1, -1, -1):
            record = passing[k]
            sequence = record.sequence
            outer = sequence.outer
            if outer is not NULL:
                outer.alive.fetch_add(1, memory_order_relaxed)      # the sequence itself is counted there
            record.sequence = outer
            self.go(worker, node.out, entity.frame, record)
        for k in range(<int64_t>passing.size()):
            self.leave_sequence(worker, sequence)

"""Entities and frames are made when records need them first, and go at the end; records are sent to entities.

What goes before the end is in garbage.pyx.
"""

cimport cython
from cpython.ref cimport Py_DECREF
from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.front.entities cimport (
    ENTITY, SHUT_QUEUE, Mark, Partial, Thing, all_early, all_ended, delete_front_entity, delete_front_frame,
    delete_front_replicas, delete_thing, dequeue, enqueue, new_front_entity, new_front_frame, new_front_replicas,
    replica, things_of,
)
from streambench.pyx.front.property_graph cimport Kind
from streambench.pyx.front.records cimport (
    MOST_FREE, delete_front_sequence, delete_pools, drop_all, empty_pool, give_record, new_pools, take_record,
)
from streambench.pyx.front.worker cimport (
    Move, delete_front_shared, delete_front_workers, is_long, list_entity, new_front_shared, new_front_workers,
)
from streambench.pyx.machine.memory cimport append
from streambench.pyx.machine.parking cimport wake_one
from streambench.pyx.machine.threads cimport pause_briefly


@cython.no_gc_clear                     # records are let go of by what the graph says of labels
cdef class Unfolding(Crew):
    """The frames and entities of ``graph``, for so many workers."""

    def __cinit__(self, PropertyGraph graph, int workers, *args, **kwargs):
        cdef int k
        self.graph = graph
        self.each = new_front_workers(workers)
        self.shared = new_front_shared()
        self.pools = new_pools(workers)
        for k in range(workers):
            self.each[k].number = k
            self.equip(&self.each[k], &self.pools[k], MOST_FREE)
        self.root = new_front_frame(NULL, 0, graph.slots)

    def __init__(self, PropertyGraph graph, int workers):
        super().__init__(workers)

    cdef void equip(self, Worker* worker, Pool* pool, int64_t most_free) noexcept nogil:
        """A worker's records come from the ``pool``."""
        self.describe(pool)
        pool.free = NULL
        pool.count = 0
        pool.most_free = most_free
        pool.dead = &worker.dead
        worker.pool = pool

    cdef void describe(self, Pool* pool) noexcept nogil:
        """What the records of a pool are."""
        pool.labels, pool.further = self.graph.labels, self.graph.further
        pool.fields, pool.binding = self.graph.fields, self.graph.binding

    def __dealloc__(self):
        cdef int k
        for k in range(self.workers):
            empty_pool(&self.pools[k])
        delete_front_frame(self.root)
        delete_front_workers(self.each)
        delete_front_shared(self.shared)
        delete_pools(self.pools)

    cdef void go(self, Worker* worker, int64_t node, Frame* frame, Record* record) noexcept nogil:
        cdef Move move
        move.node, move.frame, move.record = node, frame, record
        append(worker.moves, move)

    cdef bint send(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """A record has come to an entity. Who has it to himself thereby goes on with it, or puts it on the list. False:
        it is shut (garbage.pyx), and nothing has happened."""
        cdef int64_t none = 0
        if entity is worker.held:
            if worker.record is not NULL:                       # the one before goes first
                enqueue(entity, worker.record)
                worker.record = NULL
            enqueue(entity, record)
            entity.pending.fetch_add(1, memory_order_acq_rel)
            return True
        if entity.pending.compare_exchange_strong(none, 1, memory_order_acq_rel, memory_order_relaxed):
            if worker.held is not NULL:
                if worker.record is not NULL:
                    enqueue(worker.held, worker.record)         # it is counted already
                    worker.record = NULL  # no longer in the hand, should the list be refused memory
                self.schedule(worker, worker.held)
            worker.held = entity
            if entity.oldest is not NULL or entity.sent.load(memory_order_relaxed) is not NULL:
                enqueue(entity, record)         # who sent them has not counted them yet, but was first
                record = NULL
            worker.record = record
            return True
        if not enqueue(entity, record):
            return False
        if entity.pending.fetch_add(1, memory_order_acq_rel) == 0:
            self.schedule(worker, entity)
        return True

    cdef void schedule(self, Worker* worker, Entity* entity) noexcept nogil:
        """On the list: its records are in its queue. From then on it is another's, who may
        have given it back by now."""
        cdef Node* node = <Node*>entity.node
        cdef bint long_box = node.kind == Kind.BOX and is_long(worker, node.label)
        entity.long_box = long_box
        list_entity(worker, entity)
        if long_box:
            wake_one(self.parking)

    cdef void drop(self, Worker* worker, Record* record) noexcept nogil:
        """The record is no more."""
        cdef Sequence* sequence = record.sequence
        drop_all(worker.pool, record.labels, record.values)
        give_record(worker.pool, record)
        self.leave_sequence(worker, sequence)

    cdef void leave_sequence(self, Worker* worker, Sequence* sequence) noexcept nogil:
        """One record less that has this sequence number; the collector is told of the last one."""
        cdef Record* word
        if sequence is not NULL and sequence.alive.fetch_sub(1, memory_order_acq_rel) == 1:
            word = take_record(worker.pool)
            word.ends = 1
            word.sequence = sequence
            # The frame is there, as the record was in it; but who looks whether it is needed
            # may have shut it for a moment.
            while not self.send(worker, <Entity*>sequence.collector, word):
                pause_briefly()

    cdef Entity* entity_of(self, Worker* worker, int64_t at, Frame* frame) noexcept nogil:
        """The entity of a node in a frame, made when it is needed first; or a mark instead (SPENT, SHUT)."""
        cdef Node* node = &self.graph.nodes[at]
        cdef void* thing = frame.slots[node.slot].load(memory_order_acquire)    # pairs with the exchange of who made it
        cdef Entity* entity
        if thing is not NULL:
            return <Entity*>thing
        entity = new_front_entity()
        entity.node = <void*>node
        entity.frame = frame
        if not frame.slots[node.slot].compare_exchange_strong(thing, <void*>entity, memory_order_acq_rel,
                                                              memory_order_acquire):
            delete_front_entity(entity)
            return <Entity*>thing
        self.count_living()
        return entity

    cdef Frame* unfold(self, Worker* worker, Node* node, Frame* frame, Frame* home) noexcept nogil:
        """The frame of a star's next replica, made when it is needed first; NULL: this one is shut."""
        cdef void* thing = frame.slots[node.slot].load(memory_order_acquire)    # as above
        cdef Frame* inner
        if thing is NULL:
            inner = new_front_frame(home, frame.key + 1 if node.kind == Kind.STAGE else 0, node.size)
            if frame.slots[node.slot].compare_exchange_strong(thing, <void*>inner, memory_order_acq_rel,
                                                              memory_order_acquire):
                self.count_living()
                return inner
            delete_front_frame(inner)
        if thing is <void*><size_t>Mark.SHUT:
            return NULL
        return <Frame*>thing

    cdef Frame* replica_of(self, Worker* worker, Node* node, Frame* frame, int64_t value) noexcept nogil:
        """The frame of a split's replica for a tag's value, made when it is needed first; NULL: this one is shut."""
        cdef void* thing = frame.slots[node.slot].load(memory_order_acquire)    # as above
        cdef Replicas* replicas
        cdef Frame* there
        cdef bint is_new = False
        if thing is NULL:
            replicas = new_front_replicas()
            if frame.slots[node.slot].compare_exchange_strong(thing, <void*>replicas, memory_order_acq_rel,
                                                              memory_order_acquire):
                thing = <void*>replicas
            else:
                delete_front_replicas(replicas)
        if thing is <void*><size_t>Mark.SHUT:
            return NULL
        there = replica(<Replicas*>thing, value, <int32_t>(node - &self.graph.nodes[0]), frame, node.size, is_new)
        if is_new:
            self.count_living()
            self.sweep(worker, node, <Replicas*>thing)
        return there

    cdef void sweep(self, Worker* worker, Node* node, Replicas* replicas) noexcept nogil:
        """A replica has been made."""

    cdef void count_living(self) noexcept nogil:
        """An entity or a frame more."""
        cdef int64_t now = self.shared.living.fetch_add(1, memory_order_relaxed) + 1
        cdef int64_t most = self.shared.most_living.load(memory_order_relaxed)
        while (now > most and not self.shared.most_living.compare_exchange_weak(
                most, now, memory_order_relaxed, memory_order_relaxed)):
            pass

    cdef void let_go(self, Record* record):
        """The record has left: the GIL is held, so that its objects go at once."""
        cdef Pool pool
        cdef vector[void*] dead
        cdef size_t k
        self.describe(&pool)
        pool.dead = &dead
        if record.ends:
            self.forget(record.sequence)
        elif record.sequence is not NULL and record.sequence.alive.fetch_sub(1, memory_order_relaxed) == 1:
            self.forget(record.sequence)
        drop_all(&pool, record.labels, record.values)
        give_record(&pool, record)
        empty_pool(&pool)
        for k in range(dead.size()):
            Py_DECREF(<object>dead[k])

    cdef void forget(self, Sequence* sequence):
        """The sequence has ended: it goes, and so do those around it that end thereby."""
        cdef Sequence* outer
        while sequence is not NULL:
            outer = sequence.outer
            delete_front_sequence(sequence)
            sequence = outer
            if sequence is NULL or sequence.alive.fetch_sub(1, memory_order_relaxed) > 1:
                return

    cdef int count_waiting(self):
        cdef int waiting = 0
        cdef size_t k
        cdef vector[void*] things
        cdef Entity* entity
        things_of(self.root, things)
        for k in range(things.size()):
            entity = <Entity*>things[k]
            if (<Thing*>things[k]).kind == ENTITY and (<Node*>entity.node).kind in (Kind.SYNC, Kind.ZIPPER):
                waiting += <int>entity.partials.size()
        return waiting

    cdef void clear(self):
        """Everything that was made goes, in whatever state a failed run has left it."""
        cdef int k
        cdef size_t j
        cdef vector[void*] things
        for k in range(self.workers):
            while not self.each[k].moves.empty():
                self.let_go(self.each[k].moves.back().record)
                self.each[k].moves.pop_back()
            if self.each[k].held is not NULL and self.each[k].record is not NULL:
                self.let_go(self.each[k].record)
                self.each[k].record = NULL
        things_of(self.root, things)
        for j in range(things.size()):
            if (<Thing*>things[j]).kind == ENTITY:
                self.empty(<Entity*>things[j])
        for j in range(1, things.size()):
            delete_thing(things[j])
        for k in range(<int>self.root.size):
            self.root.slots[k].store(NULL, memory_order_relaxed)
        for k in range(self.workers):
            for j in range(self.each[k].retired.size()):
                delete_thing(self.each[k].retired[j].thing)
            self.each[k].retired.clear()
            self.bury(&self.each[k])

    cdef void empty(self, Entity* entity):
        """Let go of the records that an entity holds."""
        cdef vector[Record*] held
        cdef vector[void*] ended
        cdef size_t j, k, i
        cdef Record* record
        cdef Partial* partial
        while entity.sent.load(memory_order_relaxed) is not SHUT_QUEUE and (
                entity.oldest is not NULL or entity.sent.load(memory_order_relaxed) is not NULL):
            self.let_go(dequeue(entity))
        all_early(entity, held)
        all_ended(entity, ended)
        for j in range(entity.partials.size()):
            partial = &entity.partials[j]
            if partial.filled == <int64_t>partial.slots.size():
                continue                # it has been given, and stands behind one that waits
            for k in range(partial.slots.size()):
                record = partial.slots[k]
                for i in range(k):
                    if partial.slots[i] is record:
                        break
                else:
                    if record is not NULL:
                        held.push_back(record)
        for k in range(held.size()):
            self.let_go(held[k])
        for k in range(ended.size()):
            self.forget(<Sequence*>ended[k])

    cdef void bury(self, Worker* worker):
        """Let go of the objects that nobody has any more."""
        cdef size_t k
        cdef vector[void*] dead
        dead.swap(worker.dead)
        for k in range(dead.size()):
            Py_DECREF(<object>dead[k])

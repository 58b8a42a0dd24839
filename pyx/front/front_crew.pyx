"""FRONT: workers that follow records through a network (paper 004, section 4).

A worker takes a record to the next entity, through all that keeps no state: filters, dispatchers, tests. Whatever comes of
it goes on in the same way, the first output first, until every record has been sent to an entity. The last entity that
the worker got for itself in this way it goes on with (it *walks*); the others wait on its list, nearest the output first,
where idle workers *steal*. Only who finds neither takes records in: that is the control of input.

The order of streams: while a worker has an entity, all that the entity gives is sent on before the worker lets it go.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.atomic cimport atomic, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst
from libcpp.vector cimport vector
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.front.entities cimport (
    Entity, Frame, Partial, Replicas, add_partial, all_early, delete_front_entity, delete_front_frame, delete_front_replicas,
    dequeue, enqueue, keep_early, keep_ended, new_front_entity, new_front_frame, new_front_replicas, replica, take_early,
    take_ended,
)
from streambench.pyx.front.property_graph cimport Body, Branch, Item, Kind, Node, Output, Pattern, PropertyGraph
from streambench.pyx.front.records cimport (
    FOREIGN, MOST_LABELS, REST, Field, Pool, Record, Sequence, copy_of, delete_front_sequence, drop_values, empty_pool,
    give_record, hide, lowest_bit, new_front_field, new_front_sequence, restore, share_values, take_record,
)
from streambench.pyx.machine.threads cimport pause_briefly, sleep_ns, yield_core

import threading

cdef uint64_t ALL = ~<uint64_t>0

cdef extern from *:
    """
    #include <atomic>
    #include <vector>
    namespace streambench {
    struct FrontMove { int64_t node; FrontFrame* frame; FrontRecord* record; };
    struct alignas(128) FrontWorker {
        int64_t number = 0;
        int64_t steps = 0;              // nodes that took a record
        int64_t stolen = 0;
        std::vector<FrontMove> moves;   // on their way to entities, the next one last
        FrontEntity* held = nullptr;    // an entity that this worker has, to go on with
        FrontRecord* record = nullptr;  // its record; null: it is in the entity's queue
        std::vector<void*> dead;
        FrontEntity* entities = nullptr;        // that this worker made
        FrontFrame* frames = nullptr;
        FrontReplicas* replicas = nullptr;
        // The list, also of thieves.
        alignas(128) std::atomic<int64_t> taken{0};
        std::atomic<int64_t> waiting{0};
        std::vector<FrontEntity*> list; // entities that this worker has and others may take over, the next one last
    };
    inline FrontWorker* new_front_workers(int n) { return new FrontWorker[n]; }
    inline void delete_front_workers(FrontWorker* workers) { delete[] workers; }
    struct FrontShared {
        alignas(128) std::atomic<int64_t> idle{0};
        alignas(128) std::atomic<int64_t> input{0};    // somebody takes records in
        std::atomic<int64_t> ended{0};                 // there are no more
        alignas(128) std::atomic<int64_t> output{0};   // somebody has the output
    };
    inline FrontShared* new_front_shared() { return new FrontShared; }
    inline void delete_front_shared(FrontShared* shared) { delete shared; }
    }
    """
    cppclass Move "streambench::FrontMove" nogil:
        int64_t node
        Frame* frame
        Record* record
    cppclass Worker "streambench::FrontWorker" nogil:
        int64_t number
        int64_t steps
        int64_t stolen
        vector[Move] moves
        Entity* held
        Record* record
        vector[void*] dead
        Entity* entities
        Frame* frames
        Replicas* replicas
        atomic[int64_t] taken
        atomic[int64_t] waiting
        vector[Entity*] list
    cppclass Shared "streambench::FrontShared" nogil:
        atomic[int64_t] idle
        atomic[int64_t] input
        atomic[int64_t] ended
        atomic[int64_t] output
    Worker* new_front_workers "streambench::new_front_workers"(int n) except +
    void delete_front_workers "streambench::delete_front_workers"(Worker* workers) noexcept
    Shared* new_front_shared "streambench::new_front_shared"() except +
    void delete_front_shared "streambench::delete_front_shared"(Shared* shared) noexcept

cdef enum:
    GIVEN_OUT = 256
    MOST_DEAD = 4096
    PAUSES = 100
    YIELDS = 100
    NAP_NS = 50_000


cdef inline void lock(atomic[int64_t]* taken) noexcept nogil:
    while taken.exchange(1, memory_order_acquire):           # pairs with unlock
        pause_briefly()

cdef inline void unlock(atomic[int64_t]* taken) noexcept nogil:
    taken.store(0, memory_order_release)


cdef class FrontCrew(Crew):
    """Runs ``graph`` with ``workers`` threads.

    ``labels``: the program's labels, the first two of which stand for what it does not know (see records.pxd).
    ``source``: an iterator of dicts by label, checked; ``emit``: called with lists of such dicts, in the order in which
    they leave; ``boxes``: called with (number of a box, dict of values), gives dicts; ``initial``: by node the numbers of
    the initialisers of a dispatcher.

    After `run`: ``error`` is what a box or the source raised; ``failure`` (node, dict of the record) where a record could
    not go on; ``waiting`` how many cells hold records.
    """

    cdef PropertyGraph graph
    cdef list names
    cdef dict numbers
    cdef object source, emit, boxes, emitting
    cdef dict initial
    cdef Worker* each
    cdef Shared* shared
    cdef Pool* pools
    cdef Frame* root
    cdef vector[Record*] out
    cdef readonly object error
    cdef readonly object failure
    cdef readonly int waiting

    def __cinit__(self, PropertyGraph graph, int workers, *args, **kwargs):
        cdef int k
        self.each = new_front_workers(workers)
        self.shared = new_front_shared()
        self.pools = <Pool*>PyMem_Calloc(workers, sizeof(Pool))
        if self.pools is NULL:
            raise MemoryError
        for k in range(workers):
            self.each[k].number = k
            self.pools[k].labels = graph.labels
            self.pools[k].fields = graph.fields
            self.pools[k].dead = &self.each[k].dead
        self.root = new_front_frame(NULL, graph.slots)

    def __init__(self, PropertyGraph graph, int workers, list labels, source, emit, boxes, dict initial):
        super().__init__(workers)
        self.graph = graph
        self.names = labels
        self.numbers = {name: number for number, name in enumerate(labels)}
        self.source, self.emit, self.boxes, self.initial = source, emit, boxes, initial
        self.emitting = threading.Lock()

    def __dealloc__(self):
        cdef int k
        self.clear()
        for k in range(self.workers):
            empty_pool(&self.pools[k])
        delete_front_frame(self.root)
        delete_front_workers(self.each)
        delete_front_shared(self.shared)
        PyMem_Free(self.pools)

    def run(self, watch=None):
        """Start the workers, and return when all records have left, or something went wrong."""
        super().run(watch)
        self.flush()
        self.waiting = self.count_waiting()

    def stop(self):
        """Have the workers return soon; nothing more is taken in or given out."""
        self.token.stop()

    @property
    def steps(self) -> int:
        """How many times a node took a record."""
        return sum([self.each[k].steps for k in range(self.workers)])

    @property
    def stolen(self) -> int:
        """How many entities were taken over by idle workers."""
        return sum([self.each[k].stolen for k in range(self.workers)])

    # A worker's life

    cdef void work(self, int number) noexcept nogil:
        cdef Worker* worker = &self.each[number]
        cdef Entity* entity
        cdef int64_t rounds = 0
        while self.stopped.value.load(memory_order_relaxed) == 0:
            entity = worker.held
            if entity is not NULL:
                worker.held = NULL
                self.invoke(worker, entity, worker.record)
            else:
                entity = self.next_of(worker, worker)
                if entity is not NULL:
                    self.invoke(worker, entity, NULL)
                elif not self.take_in(worker) and not self.steal(worker):
                    if self.rest(&rounds):
                        return
                    continue
            rounds = 0

    cdef bint rest(self, int64_t* rounds) noexcept nogil:
        """Idle, until there is something to look at again. True: nobody has anything any more, nor will have.

        A worker that is not idle may have entities on its list; one that looks for some is not idle, before it looks. So
        when all are idle and the input has ended, no list has any.
        """
        cdef int k
        cdef bint more
        if rounds[0] == 0:
            self.flush_if_any()
        self.shared.idle.fetch_add(1, memory_order_seq_cst)
        while self.stopped.value.load(memory_order_relaxed) == 0:
            if self.shared.idle.load(memory_order_seq_cst) == self.workers and self.shared.ended.load(memory_order_seq_cst):
                return True
            more = not self.shared.ended.load(memory_order_relaxed) and not self.shared.input.load(memory_order_relaxed)
            for k in range(self.workers):
                more = more or self.each[k].waiting.load(memory_order_relaxed) > 0
            if more:
                break
            rounds[0] += 1
            if rounds[0] < PAUSES:
                pause_briefly()
            elif rounds[0] < PAUSES + YIELDS:
                yield_core()
            else:
                sleep_ns(NAP_NS)
        self.shared.idle.fetch_sub(1, memory_order_seq_cst)
        return False

    cdef Entity* next_of(self, Worker* worker, Worker* victim) noexcept nogil:
        """The entity nearest the output on a worker's list."""
        cdef Entity* entity = NULL
        if victim.waiting.load(memory_order_relaxed) == 0:      # a hint: who has put something there looks again
            return NULL
        lock(&victim.taken)
        if not victim.list.empty():
            entity = victim.list.back()
            victim.list.pop_back()
            victim.waiting.store(<int64_t>victim.list.size(), memory_order_relaxed)
        unlock(&victim.taken)
        return entity

    cdef void schedule(self, Worker* worker, Entity* entity) noexcept nogil:
        """On the list: its records are in its queue."""
        lock(&worker.taken)
        worker.list.push_back(entity)
        worker.waiting.store(<int64_t>worker.list.size(), memory_order_relaxed)
        unlock(&worker.taken)

    cdef bint steal(self, Worker* worker) noexcept nogil:
        cdef int k
        cdef Entity* entity
        for k in range(1, self.workers):
            entity = self.next_of(worker, &self.each[(worker.number + k) % self.workers])
            if entity is not NULL:
                worker.stolen += 1
                self.invoke(worker, entity, NULL)
                return True
        return False

    cdef void invoke(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """The entity, which this worker has, takes the ``record`` (NULL: its oldest), and then others that wait for it, as
        long as nothing nearer the output is there to go on with."""
        while True:
            if record is NULL:
                record = dequeue(entity)
            self.take(worker, entity, record)
            self.walk(worker)
            # acq_rel: the next one who has the entity sees its state, and this one what was sent
            if entity.pending.fetch_sub(1, memory_order_acq_rel) == 1:
                return
            record = NULL
            if worker.held is not NULL or self.stopped.value.load(memory_order_relaxed):
                self.schedule(worker, entity)
                return

    cdef void send(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """A record has come to an entity. Who has it to himself thereby goes on with it, or puts it on the list."""
        cdef int64_t none = 0
        if entity is worker.held:
            if worker.record is not NULL:                       # the one before goes first
                enqueue(entity, worker.record)
                worker.record = NULL
            enqueue(entity, record)
            entity.pending.fetch_add(1, memory_order_acq_rel)
            return
        if entity.pending.compare_exchange_strong(none, 1, memory_order_acq_rel, memory_order_relaxed):
            if worker.held is not NULL:
                if worker.record is not NULL:
                    enqueue(worker.held, worker.record)         # it is counted already
                self.schedule(worker, worker.held)
            worker.held = entity
            worker.record = record
            return
        enqueue(entity, record)
        if entity.pending.fetch_add(1, memory_order_acq_rel) == 0:
            self.schedule(worker, entity)

    # On the way from one entity to the next

    cdef inline void go(self, Worker* worker, int64_t node, Frame* frame, Record* record) noexcept nogil:
        cdef Move move
        move.node, move.frame, move.record = node, frame, record
        worker.moves.push_back(move)

    cdef void walk(self, Worker* worker) noexcept nogil:
        """Bring all records to entities; those that are on their way when the run is stopped stay there, for the end."""
        cdef Move move
        while not worker.moves.empty() and self.stopped.value.load(memory_order_relaxed) == 0:
            move = worker.moves.back()
            worker.moves.pop_back()
            self.follow(worker, move.node, move.frame, move.record)

    cdef void follow(self, Worker* worker, int64_t at, Frame* frame, Record* record) noexcept nogil:
        """A record through nodes without state, up to an entity; if there are several outputs, the others are `moves`."""
        cdef Node* node
        cdef int32_t k
        cdef int found
        cdef int64_t value
        while True:
            if self.stopped.value.load(memory_order_relaxed):       # a loop may have no end
                self.go(worker, at, frame, record)
                return
            node = &self.graph.nodes[at]
            worker.steps += 1
            if node.kind == Kind.FILTER:
                if not self.graph.accepts(node.labels, record.labels):
                    self.fail(at, worker, record)
                    return
                if not self.filter(worker, node, frame, &record):
                    self.fail(at, worker, record)
                    return
                if record is NULL:
                    return
                at = node.out
            elif node.kind == Kind.DISPATCH:
                if node.slot >= 0 and frame.slots[node.slot].load(memory_order_acquire) is NULL:
                    if frame.slots[node.slot].exchange(<void*>self.root, memory_order_acq_rel) is NULL:
                        self.go(worker, at, frame, record)
                        self.start(worker, at, frame)
                        return
                for k in range(node.first, node.first + node.count):
                    if self.graph.accepts(self.graph.branches[k].labels, record.labels):
                        break
                else:
                    self.fail(at, worker, record)
                    return
                at = self.graph.branches[k].node
            elif node.kind == Kind.STAR or node.kind == Kind.STAGE:
                found = self.graph.matches(node, record.labels, record.values)
                if found < 0:
                    self.fail(at, worker, record)
                    return
                if found:
                    at = node.out
                    if node.kind == Kind.STAGE and node.size > 0:
                        frame = frame.home
                else:
                    at = node.inner
                    if node.size > 0:
                        frame = self.unfold(worker, node, frame, frame.home if node.kind == Kind.STAGE else frame)
            elif node.kind == Kind.SPLIT:
                if not record.labels >> node.label & 1:
                    self.fail(at, worker, record)
                    return
                at = node.inner
                if node.size > 0:
                    frame = self.replica_of(worker, node, frame, record.values[node.label])
            elif node.kind == Kind.HOME:
                frame = frame.home
                at = node.out
            elif node.kind == Kind.FEEDBACK:
                found = self.graph.matches(node, record.labels, record.values)
                if found < 0:
                    self.fail(at, worker, record)
                    return
                at = node.inner if found else node.out
            elif node.kind == Kind.ENTER:
                for k in range(node.first, node.first + node.count):
                    if self.graph.accepts(self.graph.branches[k].labels, record.labels):
                        break
                else:
                    self.fail(at, worker, record)
                    return
                hide(&self.pools[worker.number], record, self.graph.branches[k].labels)
                at = node.out
            elif node.kind == Kind.LEAVE:
                found = node.count == 0
                for k in range(node.first, node.first + node.count):
                    found = found or self.graph.branches[k].labels == record.labels
                if not found:
                    self.fail(at, worker, record)
                    return
                restore(&self.pools[worker.number], record)
                at = node.out
            elif node.kind == Kind.OUT:
                self.give_out(record)
                return
            else:
                self.send(worker, self.entity_of(worker, at, frame), record)
                return

    cdef bint filter(self, Worker* worker, Node* node, Frame* frame, Record** record) noexcept nogil:
        """``record`` becomes the first output, NULL where there is none; the others go on later. False: division by zero."""
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
            other = copy_of(&self.pools[worker.number], given)
            if not self.fill(worker, node, &self.graph.outputs[k], other):
                self.drop(worker, other)
                return False
            self.go(worker, node.out, frame, other)
        return self.fill(worker, node, &self.graph.outputs[body.first], given)

    cdef bint fill(self, Worker* worker, Node* node, Output* output, Record* record) noexcept nogil:
        """The record, the filter's input, becomes an output of it."""
        cdef int64_t[MOST_LABELS] made
        cdef Item* item
        cdef int32_t k
        cdef uint64_t dropped
        cdef Pool* pool = &self.pools[worker.number]
        for k in range(output.items):
            item = &self.graph.items[output.first_item + k]
            if item.source >= 0:
                made[k] = record.values[item.source]
                if pool.fields >> item.label & 1:
                    (<Field*>made[k]).owners.fetch_add(1, memory_order_relaxed)
            elif item.expression < 0:
                made[k] = 0
            elif not self.graph.evaluate(item.expression, record.values, &made[k]):
                for k in range(k):
                    if pool.fields >> self.graph.items[output.first_item + k].label & 1:
                        (<Field*>made[k]).owners.fetch_sub(1, memory_order_relaxed)     # the record still has it
                return False
        dropped = record.labels & (node.labels | output.labels)
        if dropped & pool.fields:
            drop_values(pool, dropped, record.values)
        record.labels = (record.labels & ~node.labels) | output.labels
        for k in range(output.items):
            record.values[self.graph.items[output.first_item + k].label] = made[k]
        return True

    cdef void drop(self, Worker* worker, Record* record) noexcept nogil:
        """The record is no more."""
        cdef Sequence* sequence = record.sequence
        drop_values(&self.pools[worker.number], record.labels, record.values)
        give_record(&self.pools[worker.number], record)
        self.leave_sequence(worker, sequence)

    cdef void leave_sequence(self, Worker* worker, Sequence* sequence) noexcept nogil:
        """One record less that has this sequence number; the collector is told of the last one."""
        cdef Record* word
        if sequence is not NULL and sequence.alive.fetch_sub(1, memory_order_acq_rel) == 1:
            word = take_record(&self.pools[worker.number])
            word.ends = 1
            word.sequence = sequence
            self.send(worker, <Entity*>sequence.collector, word)

    # Unfolding

    cdef Entity* entity_of(self, Worker* worker, int64_t at, Frame* frame) noexcept nogil:
        """The entity of a node in a frame, made when it is needed first."""
        cdef Node* node = &self.graph.nodes[at]
        cdef void* found = frame.slots[node.slot].load(memory_order_acquire)    # pairs with the exchange of who made it
        cdef Entity* entity
        if found is not NULL:
            return <Entity*>found
        entity = new_front_entity()
        entity.node = <void*>node
        entity.frame = frame
        if not frame.slots[node.slot].compare_exchange_strong(found, <void*>entity, memory_order_acq_rel, memory_order_acquire):
            delete_front_entity(entity)
            return <Entity*>found
        entity.made_before = worker.entities
        worker.entities = entity
        return entity

    cdef Frame* unfold(self, Worker* worker, Node* node, Frame* frame, Frame* home) noexcept nogil:
        """The frame of a star's next replica, made when it is needed first."""
        cdef void* found = frame.slots[node.slot].load(memory_order_acquire)    # as above
        cdef Frame* made
        if found is not NULL:
            return <Frame*>found
        made = new_front_frame(home, node.size)
        if not frame.slots[node.slot].compare_exchange_strong(found, <void*>made, memory_order_acq_rel, memory_order_acquire):
            delete_front_frame(made)
            return <Frame*>found
        made.made_before = worker.frames
        worker.frames = made
        return made

    cdef Frame* replica_of(self, Worker* worker, Node* node, Frame* frame, int64_t value) noexcept nogil:
        """The frame of a split's replica for a tag's value."""
        cdef void* found = frame.slots[node.slot].load(memory_order_acquire)    # as above
        cdef Replicas* replicas
        cdef Frame* made
        if found is NULL:
            replicas = new_front_replicas()
            if frame.slots[node.slot].compare_exchange_strong(found, <void*>replicas, memory_order_acq_rel, memory_order_acquire):
                replicas.made_before = worker.replicas
                worker.replicas = replicas
                found = <void*>replicas
            else:
                delete_front_replicas(replicas)
        replicas = <Replicas*>found
        lock(&replicas.taken)
        made = replica(replicas, value)
        if made is NULL:
            made = new_front_frame(frame, node.size)
            made.made_before = worker.frames
            worker.frames = made
            (&replica(replicas, value))[0] = made
        unlock(&replicas.taken)
        return made

    # Entities

    cdef void take(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """What an entity does with a record; what comes of it are `moves`."""
        cdef Node* node = <Node*>entity.node
        if node.kind == Kind.BOX:
            if self.graph.accepts(node.labels, record.labels):
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
        cdef uint64_t fits = 0
        cdef int64_t value
        cdef Pattern* pattern
        cdef Partial* partial
        cdef bint zipper = node.kind == Kind.ZIPPER
        if entity.first_free.size() == 0:
            entity.first_free.resize(node.count)
        if zipper and self.graph.accepts(node.labels, record.labels):       # it may leave at once
            self.go(worker, node.out, entity.frame, record)
            return
        if zipper or entity.done == 0:
            for k in range(node.count):
                pattern = &self.graph.patterns[node.first + k]
                if not self.graph.accepts(pattern.labels, record.labels):
                    continue
                if pattern.guard >= 0:
                    if not self.graph.evaluate(pattern.guard, record.values, &value):
                        self.fail(node - &self.graph.nodes[0], worker, record)
                        return
                    if not value:
                        continue
                if not zipper and entity.first_free[k] > 0:
                    continue
                fits |= <uint64_t>1 << k
                stage = entity.first_free[k] if stage < 0 else min(stage, entity.first_free[k])
        if fits == 0:
            if zipper:                  # it would pass on for ever
                self.fail(node - &self.graph.nodes[0], worker, record)
            else:
                self.go(worker, node.out, entity.frame, record)
            return
        if stage - entity.done >= <int64_t>entity.partials.size():
            add_partial(entity, node.count)
        partial = &entity.partials[stage - entity.done]
        for k in range(node.count):
            if fits >> k & 1 and entity.first_free[k] <= stage and partial.slots[k] is NULL:
                partial.slots[k] = record
                partial.filled += 1
                self.next_free(entity, k, stage)
        if partial.filled < node.count:
            self.release(worker, record)
            return
        record = self.merged(worker, node, partial, record)
        while not entity.partials.empty() and entity.partials[0].filled == node.count:
            entity.partials.pop_front()
            entity.done += 1
        self.go(worker, node.out, entity.frame, record)

    cdef void next_free(self, Entity* entity, int64_t slot, int64_t stage) noexcept nogil:
        """``stage`` has that slot now: find the first one that lacks it."""
        stage += 1
        while stage - entity.done < <int64_t>entity.partials.size() and entity.partials[stage - entity.done].slots[slot] is not NULL:
            stage += 1
        entity.first_free[slot] = stage

    cdef void release(self, Worker* worker, Record* record) noexcept nogil:
        """The record waits in a cell: nobody waits for what it causes."""
        cdef Sequence* sequence = record.sequence
        record.sequence = NULL
        self.leave_sequence(worker, sequence)

    cdef Record* merged(self, Worker* worker, Node* node, Partial* partial, Record* last) noexcept nogil:
        """The first slot's record, with what the others' patterns ask for and it lacks; its cause is the last that came."""
        cdef Record* first = partial.slots[0]
        cdef Record* other
        cdef int64_t k, j
        cdef uint64_t more, left
        cdef int label
        cdef Sequence* sequence = last.sequence
        cdef Pool* pool = &self.pools[worker.number]
        last.sequence = NULL
        for k in range(1, node.count):
            other = partial.slots[k]
            if other is first:
                continue
            more = self.graph.patterns[node.first + k].labels & ~first.labels
            share_values(pool, more, other.values)
            first.labels |= more
            left = more
            while left:
                label = lowest_bit(left)
                left &= left - 1
                first.values[label] = other.values[label]
        for k in range(1, node.count):
            other = partial.slots[k]
            for j in range(k):
                if partial.slots[j] is other:
                    break
            else:
                drop_values(pool, other.labels, other.values)
                give_record(pool, other)
        first.sequence = sequence
        return first

    cdef void number(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """A deterministic combinator begins: what comes of this record has the next number."""
        cdef Node* node = <Node*>entity.node
        cdef Sequence* sequence = new_front_sequence()
        sequence.number = entity.number
        entity.number += 1
        sequence.outer = record.sequence
        sequence.collector = <void*>self.entity_of(worker, node.inner, entity.frame)
        record.sequence = sequence
        self.go(worker, node.out, entity.frame, record)

    cdef void order(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """A deterministic combinator ends: records of the awaited number pass, those of later ones wait for the word that it
        has ended."""
        cdef Node* node = <Node*>entity.node
        cdef vector[Record*] passing
        cdef Sequence* sequence = record.sequence
        cdef Sequence* outer
        cdef int64_t k
        if not record.ends:
            if sequence.number != entity.number:
                keep_early(entity, sequence.number, record)
                return
            passing.push_back(record)
        else:
            give_record(&self.pools[worker.number], record)
            keep_ended(entity, sequence.number, <void*>sequence)
            sequence = <Sequence*>take_ended(entity, entity.number)
            while sequence is not NULL:
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

    # What needs the GIL

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

    cdef void start(self, Worker* worker, int64_t at, Frame* frame) noexcept with gil:
        """A dispatcher's first record has come: its initialisers run before it."""
        cdef Node* node = &self.graph.nodes[at]
        cdef Record* made
        try:
            for box, out in reversed(self.initial[at]):
                for values in reversed(self.boxes(box, {})):
                    made = take_record(&self.pools[worker.number])
                    self.put(worker, made, 0, values)
                    self.go(worker, out, frame, made)
        except BaseException as problem:
            self.give_up(problem)

    cdef bint take_in(self, Worker* worker) noexcept nogil:
        """A record from the source, if nobody else is there; False: there is none to be had."""
        cdef bint some
        if self.shared.ended.load(memory_order_acquire) or self.shared.input.exchange(1, memory_order_acquire):
            return False
        if self.shared.ended.load(memory_order_acquire):
            unlock(&self.shared.input)
            return False
        some = self.read(worker)
        self.walk(worker)
        unlock(&self.shared.input)
        return some

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

    cdef void let_go(self, Record* record):
        """The record has left: the GIL is held, so that its objects go at once."""
        cdef Pool pool
        cdef vector[void*] dead
        cdef size_t k
        cdef Sequence* sequence = record.sequence
        cdef Sequence* outer
        pool.labels, pool.fields = self.graph.labels, self.graph.fields
        pool.free = NULL
        pool.count = 0
        pool.dead = &dead
        while sequence is not NULL and (record.ends or sequence.alive.fetch_sub(1, memory_order_relaxed) == 1):
            record.ends = 0
            outer = sequence.outer
            delete_front_sequence(sequence)
            sequence = outer
        drop_values(&pool, record.labels, record.values)
        give_record(&pool, record)
        empty_pool(&pool)
        for k in range(dead.size()):
            Py_DECREF(<object>dead[k])

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

    cdef void bury(self, Worker* worker):
        """Let go of the objects that nobody has any more."""
        cdef size_t k
        cdef vector[void*] dead
        dead.swap(worker.dead)
        for k in range(dead.size()):
            Py_DECREF(<object>dead[k])

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

    # The end

    cdef int count_waiting(self):
        cdef int k, found = 0
        cdef Entity* entity
        cdef Node* node
        for k in range(self.workers):
            entity = self.each[k].entities
            while entity is not NULL:
                node = <Node*>entity.node
                if node.kind == Kind.SYNC or node.kind == Kind.ZIPPER:
                    found += <int>entity.partials.size()
                entity = entity.made_before
        return found

    cdef void clear(self):
        """Everything that was made goes, in whatever state a failed run has left it."""
        cdef int k
        cdef Entity* entity
        cdef Frame* frame
        cdef Replicas* replicas
        for k in range(self.workers):
            while not self.each[k].moves.empty():
                self.let_go(self.each[k].moves.back().record)
                self.each[k].moves.pop_back()
            if self.each[k].held is not NULL and self.each[k].record is not NULL:
                self.let_go(self.each[k].record)
            entity = self.each[k].entities
            while entity is not NULL:
                self.empty(entity)
                entity = entity.made_before
        for k in range(self.workers):
            while self.each[k].entities is not NULL:
                entity = self.each[k].entities
                self.each[k].entities = entity.made_before
                delete_front_entity(entity)
            while self.each[k].frames is not NULL:
                frame = self.each[k].frames
                self.each[k].frames = frame.made_before
                delete_front_frame(frame)
            while self.each[k].replicas is not NULL:
                replicas = self.each[k].replicas
                self.each[k].replicas = replicas.made_before
                delete_front_replicas(replicas)
            self.bury(&self.each[k])

    cdef void empty(self, Entity* entity):
        """Let go of the records that an entity holds."""
        cdef vector[Record*] held
        cdef size_t j, k, i
        cdef Record* record
        cdef Partial* partial
        while entity.oldest is not NULL or entity.sent.load(memory_order_relaxed) is not NULL:
            self.let_go(dequeue(entity))
        all_early(entity, held)
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

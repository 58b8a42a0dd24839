"""FRONT: workers that follow records through a network (paper 004, section 4).

A worker takes a record to the next entity, through all that keeps no state: filters, dispatchers, tests. Whatever comes of
it goes on in the same way, the first output first, until every record has been sent to an entity. The last entity that
the worker got for itself in this way it goes on with (it *walks*); the others wait on its list, nearest the output first,
where idle workers *steal*. Only who finds neither takes records in: that is the control of input.

The order of streams: while a worker has an entity, all that the entity gives is sent on before the worker lets it go.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_seq_cst
from streambench.pyx.front.entities cimport Entity, dequeue
from streambench.pyx.front.property_graph cimport Kind, Node
from streambench.pyx.front.records cimport Record
from streambench.pyx.front.state cimport State
from streambench.pyx.front.worker cimport Worker, lock, unlock
from streambench.pyx.machine.threads cimport pause_briefly, sleep_ns, yield_core

cdef enum:
    PAUSES = 100                        # of an idle worker; then it yields, then it naps
    YIELDS = 100
    NAP_NS = 50_000
    MOST_DEAD = 4096                    # objects that a worker keeps until it has the GIL for another reason


cdef class FrontCrew(State):
    """Runs a network; see `Border` for what it is made of."""

    @property
    def stolen(self) -> int:
        """How many entities were taken over by idle workers."""
        return sum([self.each[k].stolen for k in range(self.workers)])

    @property
    def moving(self) -> int:
        """How many records there are, but for those in cells; none when all that left have been taken."""
        return self.on_their_way()

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
                    if self.rest(worker, &rounds):
                        return
                    continue
            rounds = 0

    cdef bint rest(self, Worker* worker, int64_t* rounds) noexcept nogil:
        """Idle, until there is something to look at again. True: nobody has anything any more, nor will have.

        A worker that is not idle may have entities on its list; one that looks for some is not idle, before it looks. So
        when all are idle and the input has ended, no list has any.
        """
        cdef int k
        cdef bint more
        if rounds[0] == 0 and self.untidy(worker):
            self.tidy(worker)
        self.shared.idle.fetch_add(1, memory_order_seq_cst)
        while self.stopped.value.load(memory_order_relaxed) == 0:
            if self.shared.idle.load(memory_order_seq_cst) == self.workers and self.shared.ended.load(memory_order_seq_cst):
                return True
            more = (not self.shared.ended.load(memory_order_relaxed) and not self.shared.input.load(memory_order_relaxed)
                    and not self.held_back())
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
        cdef Node* node = <Node*>entity.node
        cdef bint shared = node.kind == Kind.BOX and node.count > 1
        while True:
            if worker.dead.size() > MOST_DEAD:
                self.tidy(worker)
            if record is NULL:
                record = dequeue(entity)
            if shared:
                self.call_shared(worker, node, entity, record)
                return
            self.take(worker, entity, record)
            self.walk(worker)
            # acq_rel: the next one who has the entity sees its state, and this one what was sent
            if entity.pending.fetch_sub(1, memory_order_acq_rel) == 1:
                return
            record = NULL
            if worker.held is not NULL or self.stopped.value.load(memory_order_relaxed):
                self.schedule(worker, entity)
                return

    cdef void call_shared(self, Worker* worker, Node* node, Entity* entity, Record* record) noexcept nogil:
        """A box that may be called several times at a time is let go of before the call (section 4.7). The last call that is
        allowed keeps it, in the name of all that are under way: the first of them to end lets it go."""
        # acq_rel: calls that have ended are no longer counted, and who has the entity counts the next one
        if entity.running.fetch_add(1, memory_order_acq_rel) + 1 < node.count:
            self.let_go_of(worker, entity)
        self.take(worker, entity, record)
        self.walk(worker)
        if entity.running.fetch_sub(1, memory_order_acq_rel) == node.count:
            self.let_go_of(worker, entity)

    cdef void let_go_of(self, Worker* worker, Entity* entity) noexcept nogil:
        """After one record; if others wait, whoever finds the entity on the list has it."""
        if entity.pending.fetch_sub(1, memory_order_acq_rel) > 1:
            self.schedule(worker, entity)

    cdef bint take_in(self, Worker* worker) noexcept nogil:
        """A record from the source, if nobody else is there; False: there is none to be had, or too many are on their way."""
        cdef bint some
        if self.shared.ended.load(memory_order_acquire) or self.held_back() or self.shared.input.exchange(1, memory_order_acquire):
            return False
        if self.shared.ended.load(memory_order_acquire) or self.held_back():    # the last one here has changed both
            unlock(&self.shared.input)
            return False
        some = self.read(worker)
        self.walk(worker)
        unlock(&self.shared.input)
        return some

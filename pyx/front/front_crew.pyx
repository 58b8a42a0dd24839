"""FRONT: workers that follow records through a network (paper 004, section 4).

A worker takes a record to the next entity, through all that keeps no state: filters, dispatchers, tests. Whatever comes
of it goes on in the same way, the first output first, until every record has been sent to an entity. The last entity
that the worker got for itself in this way it goes on with (it *walks*); the others wait on its list, nearest the output
first, where idle workers *steal*. Only who finds neither takes records in: that is the control of input.

The order of streams: while a worker has an entity, all that the entity gives is sent on before the worker lets it go.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_seq_cst
from streambench.pyx.front.border cimport TAKES_OVER
from streambench.pyx.front.entities cimport Entity, dequeue
from streambench.pyx.front.own_threads cimport work_for
from streambench.pyx.front.property_graph cimport Kind, Node
from streambench.pyx.front.records cimport Record
from streambench.pyx.front.state cimport State
from streambench.pyx.front.worker cimport IN_LONG_CALL, IN_NO_CALL, LONG_TICKS, Worker, lock, unlock
from streambench.pyx.machine.clock cimport ticks
from streambench.pyx.machine.parking cimport announce, park, wake_all, withdraw
from streambench.pyx.machine.threads cimport pause_briefly, yield_core

cdef enum:
    PAUSES = 100                        # of an idle worker; then it yields, then it sleeps, ever longer
    YIELDS = 100
    NAP_NS = 50_000
    DOUBLED = 5                         # times: up to 1.6 ms
    MANY = 64                           # records of an entity, or entities of a list, that are worth stealing
    CLOSELY = 16                        # vain rounds, after which an idle worker looks for entities with many records
    LOOKED_AT = 32                      # entities of a list
    MOST_DEAD = 4096                    # objects that a worker keeps until it has the GIL for another reason


cdef class FrontCrew(State):
    """Runs a network; see `Border` for what it is made of."""

    def __cinit__(self, *args, **kwargs):
        self.collects = True

    @property
    def most_living(self) -> int:
        """How many entities and frames there have been at a time, and were not given back."""
        return self.shared.most_living.load()

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
        work_for(<void*>self)
        self.come_back(worker)
        while self.stopped.value.load(memory_order_relaxed) == 0:
            self.pass_by(worker)
            entity = worker.held
            if entity is not NULL:
                worker.held = NULL
                self.invoke(worker, entity, worker.record)
            else:
                entity = self.next_of(worker)
                if entity is not NULL:
                    self.invoke(worker, entity, NULL)
                elif not self.take_in(worker) and not self.steal(worker, rounds):
                    if self.rest(worker, &rounds):
                        return
                    continue
            rounds = 0

    cdef bint rest(self, Worker* worker, int64_t* rounds) noexcept nogil:
        """Idle, until there is something to look at again. True: nobody has anything any more, nor will have.

        A worker that is not idle may have entities on its list; one that looks for some is not idle, before it looks.
        So when all are idle and the input has ended, no list has any.
        """
        cdef int64_t slept
        if rounds[0] == 0 and self.untidy(worker):
            self.tidy(worker)
        self.leave(worker)
        self.shared.idle.fetch_add(1, memory_order_seq_cst)
        while self.stopped.value.load(memory_order_relaxed) == 0:
            if self.all_idle():
                wake_all(self.parking)
                return True
            if self.something(rounds[0]):
                break
            rounds[0] += 1
            if rounds[0] < PAUSES:
                pause_briefly()
            elif rounds[0] < PAUSES + YIELDS:
                yield_core()
            else:
                announce(self.parking)
                if self.stopped.value.load(memory_order_seq_cst) or self.all_idle() or self.something(rounds[0]):
                    withdraw(self.parking)
                else:
                    slept = rounds[0] - PAUSES - YIELDS
                    park(self.parking, NAP_NS << (slept if slept < DOUBLED else DOUBLED))
        self.shared.idle.fetch_sub(1, memory_order_seq_cst)
        self.come_back(worker)
        return False

    cdef bint all_idle(self) noexcept nogil:
        # The end first: of a worker that comes back before it is read, the count of who idles still tells.
        return (self.shared.ended.load(memory_order_seq_cst) != 0
                and self.shared.idle.load(memory_order_seq_cst) == self.workers)

    cdef bint something(self, int64_t rounds) noexcept nogil:
        """Whether an idle worker, after so many vain rounds, has a reason to look again."""
        cdef int k
        if (not self.shared.ended.load(memory_order_seq_cst) and not self.shared.input.load(memory_order_seq_cst)
                and not self.held_back()):
            return True
        for k in range(self.workers):
            if worth_stealing(&self.each[k]) or (looks_closely(rounds) and has_plenty(&self.each[k])):
                return True
        return False

    cdef Entity* next_of(self, Worker* owner) noexcept nogil:
        """The entity nearest the output on a worker's own list."""
        cdef Entity* entity = NULL
        if owner.waiting.load(memory_order_relaxed) == 0:       # only thieves change it besides, and they take
            return NULL
        lock(&owner.taken)
        if not owner.list.empty():
            entity = take_from(owner, owner.list.size() - 1)
        unlock(&owner.taken)
        return entity

    cdef bint steal(self, Worker* worker, int64_t rounds) noexcept nogil:
        cdef int k, victim
        cdef Entity* entity
        for k in range(1, self.workers):
            entity = stolen_from(&self.each[(worker.number + k) % self.workers], looks_closely(rounds))
            if entity is not NULL:
                worker.stolen += 1
                if self.traced:
                    victim = (worker.number + k) % self.workers
                    self.tell(worker, TAKES_OVER, <Node*>entity.node - &self.graph.nodes[0], entity.frame, NULL, victim)
                self.invoke(worker, entity, NULL)
                return True
        return False

    cdef void invoke(self, Worker* worker, Entity* entity, Record* record) noexcept nogil:
        """The entity, which this worker has, takes the ``record`` (NULL: its oldest), and then others that wait for it,
        as long as nothing nearer the output is there to go on with."""
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
            if node.kind == Kind.BOX:
                self.leave(worker)      # this one it has
                self.take(worker, entity, record)
                self.come_back(worker)
            else:
                self.take(worker, entity, record)
            self.walk(worker)
            if node.kind == Kind.SYNC and entity.done > 0 and self.collects and self.end_cell(worker, entity):
                return
            # acq_rel: the next one who has the entity sees its state, and this one what was sent
            if entity.pending.fetch_sub(1, memory_order_acq_rel) == 1:
                return
            record = NULL
            if worker.held is not NULL or self.stopped.value.load(memory_order_relaxed):
                self.schedule(worker, entity)
                return
            self.pass_by(worker)        # it may stay with this one for long, which is all that it has

    cdef void call_shared(self, Worker* worker, Node* node, Entity* entity, Record* record) noexcept nogil:
        """A box that may be called several times at a time is let go of before the call (section 4.7). The last call
        that is allowed keeps it, in the name of all that are under way: the first of them to end lets it go."""
        # acq_rel: calls that have ended are no longer counted, and who has the entity counts the next one
        if entity.running.fetch_add(1, memory_order_acq_rel) + 1 < node.count:
            self.let_go_of(worker, entity)
        self.leave(worker)              # `running` keeps this one
        self.take(worker, entity, record)
        self.come_back(worker)
        self.walk(worker)
        if entity.running.fetch_sub(1, memory_order_acq_rel) == node.count:
            self.let_go_of(worker, entity)

    cdef void let_go_of(self, Worker* worker, Entity* entity) noexcept nogil:
        """After one record; if others wait, whoever finds the entity on the list has it."""
        if entity.pending.fetch_sub(1, memory_order_acq_rel) > 1:
            self.schedule(worker, entity)

    cdef bint take_in(self, Worker* worker) noexcept nogil:
        """A record from the source, if nobody else is there; False: there is none to be had, or
        too many are on their way."""
        cdef bint some
        if (self.shared.ended.load(memory_order_acquire) or self.held_back()
                or self.shared.input.exchange(1, memory_order_acquire)):
            return False
        if self.shared.ended.load(memory_order_acquire) or self.held_back():    # the last one here has changed both
            unlock(&self.shared.input)
            return False
        some = self.read(worker)
        self.walk(worker)
        unlock(&self.shared.input)
        return some


cdef Entity* take_from(Worker* owner, size_t place) noexcept nogil:
    """An entity from a list, whose lock is held."""
    cdef Entity* entity = owner.list[place]
    owner.list.erase(owner.list.begin() + <int64_t>place)
    owner.waiting.store(<int64_t>owner.list.size(), memory_order_relaxed)
    if entity.long_box:
        owner.waiting_long.fetch_sub(1, memory_order_relaxed)
    return entity


cdef bint is_in_long_call(Worker* worker) noexcept nogil:
    cdef int64_t since = worker.since.load(memory_order_seq_cst)
    return since == IN_LONG_CALL or (since != IN_NO_CALL and ticks() - since > LONG_TICKS)


cdef bint worth_stealing(Worker* victim) noexcept nogil:
    """Whether there is something to steal that takes longer than stealing: what two workers
    have in turns both wait for."""
    if victim.waiting_long.load(memory_order_seq_cst) > 0 or victim.waiting.load(memory_order_relaxed) >= MANY:
        return True
    # A worker that is in a call has put on its list what there is.
    return is_in_long_call(victim) and victim.waiting.load(memory_order_relaxed) > 0


cdef bint looks_closely(int64_t rounds) noexcept nogil:
    return rounds >= PAUSES + YIELDS or rounds % CLOSELY == CLOSELY - 1


cdef bint has_plenty(Worker* victim) noexcept nogil:
    cdef bint plenty
    if victim.waiting.load(memory_order_relaxed) == 0:
        return False
    lock(&victim.taken)
    plenty = plenty_at(victim) >= 0
    unlock(&victim.taken)
    return plenty


cdef int64_t plenty_at(Worker* victim) noexcept nogil:
    """Where on a list, whose lock is held, there is an entity with many records; -1: not among
    those that are looked at."""
    cdef int64_t place = <int64_t>victim.list.size() - 1
    cdef int64_t last = place - LOOKED_AT
    while place >= 0 and place > last:
        if victim.list[place].pending.load(memory_order_relaxed) >= MANY:
            return place
        place -= 1
    return -1


cdef Entity* stolen_from(Worker* victim, bint closely) noexcept nogil:
    """Of a worker that is long in a box, or has a long list, what is nearest the output; of another one a box whose
    calls are long, and, if it is looked at ``closely``, an entity with many records."""
    cdef Entity* entity = NULL
    cdef int64_t place
    cdef bint worth = worth_stealing(victim)
    if not worth and not (closely and victim.waiting.load(memory_order_relaxed) > 0):
        return NULL
    lock(&victim.taken)
    place = <int64_t>victim.list.size() - 1
    if place + 1 < MANY and not is_in_long_call(victim):
        while place >= 0 and not victim.list[place].long_box:
            place -= 1
    if place < 0 or not worth:
        place = plenty_at(victim) if closely else -1
    if place >= 0:
        entity = take_from(victim, place)
    unlock(&victim.taken)
    return entity

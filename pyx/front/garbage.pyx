"""Entities and frames are given back while a network runs (paper 004, section 2: partial network garbage collection).

A cell that is over is the identity: its slot says so, and its entity goes. A replica of a star that is nothing but
such a cell is taken out of the star. A split's replica in which nothing waits, and which would do what a new one
does, is taken out of its table; of those whose cells are all over the table has one for all. Tables are looked
through when they have grown.

Who gives something back shuts it first: a sender finds that out before its record is in the queue (`enqueue`), and
looks for the place anew. Then it is taken out, so that nobody finds it who has not found it before. Memory is freed
when all workers have passed a point since then at which they had no address of anything that can be given back: what a
worker has a licence of cannot, nor what is around it. So eras are counted. A worker notes at such a point which it is;
the era goes on when all have noted it; who takes something out notes the era, too, and frees it when all have noted the
next but one. Workers in a box, that wait for a record or have nothing to do have no such address: they are away.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.front.entities cimport (
    ENTITY, Mark, Thing, delete_front_frame, delete_thing, forget_replica, has_early_or_ended, is_thing,
    new_front_frame, next_replicas, reopen, shut,
)
from streambench.pyx.front.property_graph cimport Kind
from streambench.pyx.front.worker cimport Retired, lock, make_room_to_give_back, unlock

cdef enum:
    AT_A_TIME = 4                       # replicas of a table that are looked at when one is made
    LOOK_AFTER = 64                     # things taken out before a worker looks whether some can be freed

ctypedef Frame* FramePointer

cdef int64_t AWAY = INT64_MAX


cdef class Garbage(Unfolding):
    """``collects``: whether anything is given back before the end."""

    cdef void leave(self, Worker* worker) noexcept nogil:
        """The worker has no address of what can be given back, and will not look for one until `come_back`."""
        worker.seen.store(AWAY, memory_order_release)           # what it read before is read before anything is freed

    cdef void come_back(self, Worker* worker) noexcept nogil:
        # acq_rel: an exchange, as `free_some` also reads by one. Either that one finds this worker here, or this one
        # sees all that was taken out by who found it away.
        worker.seen.exchange(self.shared.era.load(memory_order_acquire), memory_order_acq_rel)

    cdef void pass_by(self, Worker* worker) noexcept nogil:
        """The worker has no address of what can be given back, just now."""
        # acquire: pairs with the exchange of who made the era go on, so that what was taken out two eras ago is seen
        # to be; release: as in `leave`
        worker.seen.store(self.shared.era.load(memory_order_acquire), memory_order_release)

    cdef bint end_cell(self, Worker* worker, Entity* entity) noexcept nogil:
        """A cell that is over, and that this worker has, becomes the identity; False: records wait for it."""
        cdef Node* node = <Node*>entity.node
        make_room_to_give_back(worker, 1, 0)        # so that `retire` is not refused what nobody else knows of
        if not shut(entity):
            return False
        entity.frame.slots[node.slot].store(<void*><size_t>Mark.SPENT, memory_order_release)
        self.retire(worker, <void*>entity)
        self.free_some(worker)
        return True

    cdef Frame* past_spent(self, Worker* worker, Node* node, Frame* frame, Frame* after) noexcept nogil:
        """Of a star around a cell, the first replica from ``after`` on that is not over, or has none behind it. Those
        before it are taken out, each by who finds the one before it still in the star."""
        cdef Frame* home = frame.home if node.kind == Kind.STAGE else frame
        cdef int32_t slot = self.graph.nodes[node.inner].slot
        cdef void* further
        cdef bint taken_out
        while after.slots[slot].load(memory_order_acquire) is <void*><size_t>Mark.SPENT:
            further = after.slots[0].load(memory_order_acquire)
            if further is NULL:
                return after
            make_room_to_give_back(worker, 1, 0)
            if home.taken.exchange(1, memory_order_acquire) == 0:       # nobody waits for it: another will do it
                further = after.slots[0].load(memory_order_acquire)
                taken_out = (node.kind == Kind.STAR
                             or not frame.gone) and frame.slots[node.slot].load(memory_order_relaxed) is after
                if taken_out:
                    frame.slots[node.slot].store(further, memory_order_release)
                    after.gone = True
                unlock(&home.taken)
                if taken_out:
                    self.retire(worker, <void*>after)
                    self.free_some(worker)
            after = <Frame*>further
        return after

    cdef Frame* current(self, Worker* worker, Frame* frame) noexcept nogil:
        """The frame that is there now for one in which something was found shut: it, or a new one in its place.

        What is around it is there: a frame with tables or frames in it is not given back.
        """
        if frame.node < 0:
            return frame
        return self.replica_of(worker, &self.graph.nodes[frame.node], frame.home, frame.key)

    cdef void sweep(self, Worker* worker, Node* node, Replicas* replicas) noexcept nogil:
        """Look at some replicas of a table that has grown: those that nobody needs are given back."""
        cdef FramePointer[AT_A_TIME] frames
        cdef Frame* spent = NULL
        cdef int k
        cdef size_t j
        cdef bint closed = False
        if not self.collects:
            return
        # No memory is asked for under the lock.
        make_room_to_give_back(worker, AT_A_TIME * (node.size + 1), AT_A_TIME * node.size)
        lock(&replicas.taken)
        for k in range(next_replicas(replicas, frames, AT_A_TIME)):
            closed = self.close(worker, replicas, frames[k]) or closed
        unlock(&replicas.taken)
        for j in range(worker.later.size()):
            self.schedule(worker, worker.later[j])
        worker.later.clear()
        if closed:
            spent = new_front_frame(frames[0].home, 0, node.size)
            for k in range(node.size):
                spent.slots[k].store(<void*><size_t>Mark.SPENT, memory_order_relaxed)       # published by the lock
            lock(&replicas.taken)
            if replicas.spent is NULL:
                replicas.spent = spent
                spent = NULL
            unlock(&replicas.taken)
            if spent is not NULL:
                delete_front_frame(spent)
        self.free_some(worker)

    cdef bint close(self, Worker* worker, Replicas* replicas, Frame* frame) noexcept nogil:
        """Under the table's lock: take a replica out if it can be given back. True: there is no frame
        yet for those that are over.

        All of its entities have to be shut at a time: then no record is in it, as who brings one from an entity to
        another has the first, nor comes one in, as it finds its entity shut and asks for the lock.
        """
        cdef int64_t k, spent = 0
        cdef void* thing
        for k in range(frame.size):             # a look first, which changes nothing
            thing = frame.slots[k].load(memory_order_acquire)
            if thing is <void*><size_t>Mark.SPENT:
                spent += 1
            elif thing is not NULL:
                if (not is_thing(thing) or (<Thing*>thing).kind != ENTITY
                        or (<Entity*>thing).pending.load(memory_order_relaxed) != 0):
                    return False
        if spent > 0:
            if spent < frame.size:
                return False
            if replicas.spent is NULL:
                return True
            forget_replica(replicas, frame, True)
            self.retire(worker, <void*>frame)
            return False
        for k in range(frame.size):
            if not self.close_slot(worker, frame, k):
                while k > 0:
                    k -= 1
                    self.open_slot(worker, frame, k)
                return False
        forget_replica(replicas, frame, False)
        for k in range(frame.size):
            thing = frame.slots[k].load(memory_order_relaxed)
            if is_thing(thing):
                self.retire(worker, thing)
        self.retire(worker, <void*>frame)
        return False

    cdef bint close_slot(self, Worker* worker, Frame* frame, int64_t slot) noexcept nogil:
        """Nobody sends to what is there any more, nor makes anything where nothing is. False: something waits there, or
        is not as in a new replica."""
        cdef void* thing = frame.slots[slot].load(memory_order_acquire)
        cdef Entity* entity
        cdef int64_t none = 0
        if thing is NULL:
            return frame.slots[slot].compare_exchange_strong(
                thing, <void*><size_t>Mark.SHUT, memory_order_acq_rel, memory_order_relaxed)
        if not is_thing(thing) or (<Thing*>thing).kind != ENTITY:
            return False
        entity = <Entity*>thing
        # acq_rel, as in `send`: it has the entity, and sees its state
        if not entity.pending.compare_exchange_strong(none, 1, memory_order_acq_rel, memory_order_relaxed):
            return False
        if self.is_as_new(entity) and shut(entity):
            return True
        self.let_go_later(worker, entity)
        return False

    cdef void open_slot(self, Worker* worker, Frame* frame, int64_t slot) noexcept nogil:
        cdef void* thing = frame.slots[slot].load(memory_order_relaxed)
        if is_thing(thing):
            reopen(<Entity*>thing)
            self.let_go_later(worker, <Entity*>thing)
        else:
            frame.slots[slot].store(NULL, memory_order_release)

    cdef bint is_as_new(self, Entity* entity) noexcept nogil:
        """Whether an entity, which this worker has, does what a new one would. Numbers count on from where all before
        them have ended, which is as good as from 0 if number and order are made anew together."""
        cdef Node* node = <Node*>entity.node
        if node.kind == Kind.BOX:
            return entity.running.load(memory_order_acquire) == 0       # whoever has let go of it has counted before
        if node.kind == Kind.SYNC:
            return entity.done == 0 and entity.partials.empty()
        if node.kind == Kind.ZIPPER:
            return entity.partials.empty()
        return node.kind == Kind.NUMBER or not has_early_or_ended(entity)

    cdef void let_go_later(self, Worker* worker, Entity* entity) noexcept nogil:
        """If records have come meanwhile this worker has it still: it goes on the list when the lock is given back."""
        if entity.pending.fetch_sub(1, memory_order_acq_rel) > 1:
            worker.later.push_back(entity)

    cdef void retire(self, Worker* worker, void* thing) noexcept nogil:
        """It has been taken out: to be freed when nobody has its address."""
        cdef Retired each
        each.era = self.shared.era.load(memory_order_acquire)
        each.thing = thing
        worker.retired.push_back(each)
        self.shared.living.fetch_sub(1, memory_order_relaxed)

    cdef void free_some(self, Worker* worker) noexcept nogil:
        """Free what nobody can have the address of, now and then; and have the era go on, if all have seen this one."""
        cdef int64_t era, seen, least
        cdef int k
        cdef size_t n = 0
        if worker.retired.size() < worker.retired_before + LOOK_AFTER:
            return
        least = era = self.shared.era.load(memory_order_acquire)
        for k in range(self.workers):
            # acq_rel: what the worker read before it noted this is read; and see `come_back`
            seen = self.each[k].seen.fetch_add(0, memory_order_acq_rel)
            least = min(least, seen)
        if least == era:
            self.shared.era.compare_exchange_strong(era, era + 1, memory_order_acq_rel, memory_order_relaxed)
        while n < worker.retired.size() and worker.retired[n].era + 2 <= least:
            delete_thing(worker.retired[n].thing)
            n += 1
        worker.retired.erase(worker.retired.begin(), worker.retired.begin() + n)
        worker.retired_before = worker.retired.size()

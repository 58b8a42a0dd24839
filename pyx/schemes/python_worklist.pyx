"""A worklist that is written in Python: called under a mutex and the GIL, so for trying something out.

It says which partition is next; the items stay here, in a queue for each partition. So each partition has one worker at
a time and its items in order (theorem 4.1), whatever it says. It is asked only where there is something to take, and
has to name that, so it cannot make a run hang; but no worker goes away for a busy partition, as with a shared queue.
"""

from streambench.pyx.machine.mutexes cimport delete_mutexes, new_mutexes
from streambench.pyx.machine.simulated cimport PARTITION, WORKLIST, touch
from streambench.pyx.machine.threads cimport yield_core
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.queues.growing_queue cimport delete_queues, new_queues, push
from streambench.pyx.queues.growing_queue cimport take as take_item


cdef class PythonWorklist(PartitionedWorklist):
    """``own.put(partition)`` is called for each item that comes, and ``own.take(free)`` for each that a worker is to
    have: it returns one of ``free``, the partitions where an item waits and no worker is. One call at a time."""

    def __cinit__(self, int64_t partitions, int64_t capacity):
        self.queues = new_queues(partitions, capacity)
        self.asked = new_mutexes(1)
        self.waiting.resize(partitions)
        self.busy.resize(partitions)

    def __dealloc__(self):
        delete_queues(self.queues, self.partitions)
        delete_mutexes(self.asked)

    def asking(self, own, PythonFailure failure):
        """Ask ``own`` from now on; returns itself."""
        self.own = own
        self.failure = failure
        return self

    cdef void add(self, int64_t partition, void* item) noexcept nogil:
        touch(WORKLIST, self.asked)
        while not push(&self.queues[partition], <int64_t>item):     # never full: ingress credit
            yield_core()
        yield_point()
        self.asked.lock()
        put(self, partition)
        self.asked.unlock()

    cdef int64_t consume(self, Consumer consumer, int64_t budget, void* visit) noexcept nogil:
        cdef int64_t used = 0, partition = 0, last
        cdef void* item = NULL
        while used < budget and self.take(&partition, &item):
            yield_point()
            last = consumer.operate(partition, item, visit)
            used += last if last >= 0 else -last
            yield_point()
            if last >= 0:
                self.give_back(partition, consumer, visit)
            yield_point()
            consumer.partition_left(visit)
        return used

    cdef bint take(self, int64_t* partition, void** item) noexcept nogil:
        """Have the next item and its partition; False: there is none to be had."""
        cdef int64_t k
        cdef bint any_free = False
        touch(WORKLIST, self.asked)
        self.asked.lock()
        for k in range(self.partitions):
            any_free = any_free or (self.waiting[k] > 0 and not self.busy[k])
        if any_free and choose(self, partition):
            self.waiting[partition[0]] -= 1
            self.busy[partition[0]] = True
            item[0] = <void*>take_item(&self.queues[partition[0]])
        else:
            any_free = False
        self.asked.unlock()
        return any_free

    cdef int64_t give_back(self, int64_t partition, Consumer consumer, void* visit) noexcept nogil:
        touch(PARTITION, &self.queues[partition].tail)
        self.asked.lock()
        self.busy[partition] = False
        self.asked.unlock()
        return 0


cdef void put(PythonWorklist of, int64_t partition) noexcept with gil:
    if of.failure.sentence is not None:
        return
    try:
        of.waiting[partition] += 1
        of.own.put(partition)
    except BaseException as problem:
        of.failure.stop_raised(name_of(of), "put", problem)


cdef bint choose(PythonWorklist of, int64_t* partition) noexcept with gil:
    """Ask which partition; False where the answer stops the run."""
    cdef int64_t k
    if of.failure.sentence is not None:
        return False
    try:
        free = [k for k in range(of.partitions) if of.waiting[k] > 0 and not of.busy[k]]
        chosen = of.own.take(free)
        if chosen not in free:
            return of.failure.stop(f"{name_of(of)} returned {chosen!r} from take(), not a partition that is free: "
                                   f"one of {', '.join(map(str, free))}.")
        partition[0] = chosen
        return True
    except BaseException as problem:
        return of.failure.stop_raised(name_of(of), "take", problem)


cdef str name_of(PythonWorklist of):
    return f"the worklist {type(of.own).__name__}"

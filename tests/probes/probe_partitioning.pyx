"""Workers in a partitioning scheme: many threads with delays injected, or two that Python interleaves call by call."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic, memory_order_relaxed
from libcpp.vector cimport vector
from jitter cimport jitter
from probe_guard cimport Guards
from probe_threads cimport Threads
from streambench.pyx.schemes.partitioned_worklist cimport Consumer, PartitionedWorklist
from streambench.pyx.machine.threads cimport sleep_ns, yield_core
from streambench.pyx.machine.yield_points cimport yield_point

cdef extern from *:
    """
    #include <atomic>
    #include <vector>
    namespace probes {
    // std::vector<std::atomic> cannot grow, and Cython would make it do so.
    struct Tally {
        std::vector<std::atomic<int64_t>> times;
        explicit Tally(int64_t n) : times(n) {}
        void count(int64_t k) { times[k].fetch_add(1, std::memory_order_relaxed); }
        int64_t counted(int64_t k) { return times[k].load(); }
    };
    }
    """
    cppclass Tally "probes::Tally" nogil:
        Tally(int64_t n) except +
        void count(int64_t k) noexcept
        int64_t counted(int64_t k) noexcept

cdef enum:
    YIELDS = 1000
    PATIENCE = YIELDS + 10_000      # then milliseconds: a test whose worklist loses an item fails instead of hanging


cdef bint wait_patiently(int64_t* waited) noexcept nogil:
    """Wait once more; False when what did not come by now is taken for lost."""
    waited[0] += 1
    if waited[0] < YIELDS:
        yield_core()
    else:
        sleep_ns(1_000_000)
    return waited[0] < PATIENCE


cdef class Checked(Consumer):
    """Checks what theorem 4.1 says."""
    cdef vector[int64_t] last           # per partition, the last item; plain: the worklist must order it
    cdef Guards* guards
    cdef Tally* processed
    cdef int64_t items
    cdef atomic[int64_t] consumed
    cdef atomic[int64_t] out_of_order
    cdef atomic[int64_t] left
    cdef int strength

    def __cinit__(self, partitions, items, strength):
        self.last.assign(partitions, 0)
        self.guards = new Guards(partitions)
        self.processed = new Tally(items + 1)
        self.items = items
        self.strength = strength

    def __dealloc__(self):
        del self.guards
        del self.processed

    cdef int64_t operate(self, int64_t partition, void* item, void* visit) noexcept nogil:
        self.guards.enter(partition)
        yield_point()
        jitter(<int64_t>item, 12, self.strength)
        if <int64_t>item <= self.last[partition]:
            self.out_of_order.fetch_add(1, memory_order_relaxed)
        self.last[partition] = <int64_t>item
        self.processed.count(<int64_t>item)
        yield_point()
        self.guards.leave(partition)
        (<int64_t*>visit)[0] += 1
        self.consumed.fetch_add(1, memory_order_relaxed)
        return 1

    cdef void partition_left(self, void* visit) noexcept nogil:
        self.left.fetch_add((<int64_t*>visit)[0])       # each item was processed inside one stay
        (<int64_t*>visit)[0] = 0

    def result(self):
        """Items processed in all, not exactly once, out of order, in stays that ended; how often two workers met."""
        cdef int64_t item, not_once = 0
        for item in range(1, self.items + 1):
            not_once += self.processed.counted(item) != 1
        return {"processed": self.consumed.load(), "not_once": not_once, "out_of_order": self.out_of_order.load(),
                "left": self.left.load(), "together": self.guards.violations_now()}


cdef class Workers(Threads):
    """Thread 0 adds ``items`` items, the others consume; one in ``hot`` goes to any partition, the others to the first.

    At most ``credit`` items are in flight, as in a pipeline.
    """
    cdef PartitionedWorklist worklist
    cdef Checked checked
    cdef int64_t items, credit, budget, hot

    def __init__(self, PartitionedWorklist worklist, items, credit, budget, strength=0, hot=1):
        self.worklist = worklist
        self.checked = Checked(worklist.partitions, items, strength)
        self.items, self.credit, self.budget, self.hot = items, credit, budget, hot

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t i, partition, in_this_stay = 0, waited = 0
        if me == 0:
            for i in range(1, self.items + 1):
                partition = (i * 7919) % self.worklist.partitions if i % self.hot == 0 else 0
                jitter(i, 13, self.checked.strength)
                waited = 0
                while i - self.checked.consumed.load(memory_order_relaxed) > self.credit:
                    if not wait_patiently(&waited):
                        return
                self.worklist.add(partition, <void*>i)
            return
        while self.checked.consumed.load(memory_order_relaxed) < self.items:
            if self.worklist.consume(self.checked, self.budget, &in_this_stay) > 0:
                waited = 0
            elif not wait_patiently(&waited):
                return

    def result(self):
        cdef int64_t in_this_stay = 0
        found = self.checked.result()
        found["remaining"] = self.worklist.consume(self.checked, self.items, &in_this_stay)
        return found


cdef class Meeting(Consumer):
    """Nobody leaves a partition before ``wanted`` workers are inside of one, or all hope is lost."""
    cdef atomic[int64_t] inside
    cdef atomic[int64_t] met
    cdef int64_t wanted

    cdef int64_t operate(self, int64_t partition, void* item, void* visit) noexcept nogil:
        cdef int64_t waited = 0
        self.inside.fetch_add(1)
        while self.inside.load() < self.wanted and wait_patiently(&waited):
            pass
        self.met.fetch_add(self.inside.load() >= self.wanted)
        return 1


cdef class Together(Threads):
    """As many threads as partitions, each of which processes one item while it meets the others."""
    cdef PartitionedWorklist worklist
    cdef Meeting meeting

    def __init__(self, PartitionedWorklist worklist):
        self.worklist = worklist
        self.meeting = Meeting()
        self.meeting.wanted = worklist.partitions

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t waited = 0
        while self.worklist.consume(self.meeting, 1, NULL) == 0 and wait_patiently(&waited):
            pass

    def meet_all(self):
        """Returns how many workers were inside a partition at the same moment as all others."""
        for partition in range(self.worklist.partitions):
            self.worklist.add(partition, <void*>1)
        self.run(self.worklist.partitions)
        return self.meeting.met.load()


cdef class Logging(Consumer):
    """Keeps what it is given, under the worker's name; each item uses ``cost`` of the budget."""
    cdef list log
    cdef str worker
    cdef int64_t cost
    cdef object during                  # an item, "left", or None: when the other worker comes
    cdef object other                   # what it does then

    cdef int64_t operate(self, int64_t partition, void* item, void* visit) noexcept nogil:
        with gil:
            self.log.append((self.worker, partition, <int64_t>item))
            if self.during == <int64_t>item:
                self.other()
        return self.cost

    cdef void partition_left(self, void* visit) noexcept nogil:
        with gil:
            self.log.append((self.worker, "left"))
            if self.during == "left":
                self.other()


cdef class Stepwise:
    """A worklist that Python drives: worker "a" alone, or worker "b" visits too while "a" is in the middle of it."""
    cdef PartitionedWorklist worklist

    def __init__(self, PartitionedWorklist worklist):
        self.worklist = worklist

    def add(self, int64_t partition, int64_t item):
        self.worklist.add(partition, <void*>item)

    def consume(self, int64_t budget, int64_t cost=1, during=None, int64_t other_budget=100):
        """Returns (used, log): per item (worker, partition, item), and (worker, "left") where no partition is held.

        ``during``: the item while which "b" visits, or "left": each time that "a" has left a partition. What "b" used
        is logged as ("b", "used", n).
        """
        cdef list log = []
        cdef Logging a = Logging(), b = Logging()

        def visit_by_b():
            log.append(("b", "used", self.worklist.consume(b, other_budget, NULL)))

        a.log = b.log = log
        a.worker, b.worker = "a", "b"
        a.cost = b.cost = cost
        a.during, a.other = during, visit_by_b
        return self.worklist.consume(a, budget, NULL), log

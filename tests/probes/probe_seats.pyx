"""Where workers sit, how long they have waited and by what a look is overdue: what only the engine calls."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport atomic
from streambench.pyx.machine.run_queue cimport RunQueues
from streambench.pyx.ordered.controller cimport Controller
from streambench.pyx.ordered.controller_constants cimport constants_with
from streambench.pyx.ordered.terms cimport Terms
from streambench.pyx.ordered.seats cimport Seats
from streambench.pyx.ordered.waiting cimport Waiting, expect_no_waiting, heed, trial_span
from streambench.pyx.tuples.columns cimport Columns, emit
from streambench.pyx.tuples.operator cimport Stateless

cdef extern from *:
    """
    #include <sched.h>
    namespace probes {
    inline int cores_allowed() { cpu_set_t set; sched_getaffinity(0, sizeof set, &set); return CPU_COUNT(&set); }
    }
    """
    int cores_allowed "probes::cores_allowed"() noexcept nogil


cdef class Bench(Seats):
    """Seats, called from Python."""

    def take(self, int number):
        """The calling thread is this worker."""
        self.sit(number)

    def give_up(self, int number):
        self.leave(number)

    def to_each_its_own(self, bint bound):
        self.bind(bound)

    def let(self, int number, Queues queues):
        """So many are to rest."""
        self.let_rest(number, queues)

    @property
    def at_work(self):
        """Who is not to rest."""
        return [k for k in range(self.workers) if not self.rests(k)]

    @property
    def all_may_move(self):
        return self.may_move()


cdef class Queues(RunQueues):
    """Accounts of the system, or of a file."""

    def open(self, int number):
        """The calling thread is this one."""
        self.enter(number)

    def read_from(self, int number, int descriptor):
        """What a thread has waited stands there; the descriptor is closed in the end."""
        self.shut(number)
        self.files[number].value.store(descriptor + 1)

    def tell(self, int number, int64_t ns):
        """It has waited so long."""
        self.note(number, ns)

    def longest(self):
        """ns, since this was last asked for."""
        return self.waited()


cdef class Crowd:
    """So many workers, of whom some wait for a core; a tick is a nanosecond."""
    cdef Waiting waiting
    cdef Terms terms
    cdef int64_t now

    def __init__(self, int32_t workers):
        self.terms.constants = constants_with(None)
        self.terms.ns_per_tick = 1.0
        self.terms.workers = workers
        expect_no_waiting(&self.waiting, 0)

    def look(self, int32_t working, double waited, double elapsed=5e6):
        """So many work and wait so many ns: NOTHING_NEW (0), DISTURBED (1) or UNDISTURBED (2)."""
        self.now += <int64_t>elapsed
        return <int>heed(&self.waiting, &self.terms, self.now, elapsed, waited, working)

    @property
    def resting(self):
        return self.waiting.resting

    @property
    def trial_ns(self):
        return trial_span(&self.waiting, &self.terms)


def overdue(Controller controller, int64_t tick):
    """ns, at this tick."""
    return controller.overdue(tick)


cdef class Whereabouts(Stateless):
    """Passes (key, value) on, and notes on how many cores the thread may run that has the unit."""
    cdef atomic[int64_t] widest         # the most, of any unit

    def __init__(self):
        self.columns = ("key", "value")

    @property
    def most_cores(self):
        return self.widest.load()

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t cores = cores_allowed(), before = self.widest.load()
        while before < cores and not self.widest.compare_exchange_weak(before, cores):
            pass
        for i in range(rows.n):
            row = emit(out)
            out.column[0][row] = rows.column[0][i]
            out.column[1][row] = rows.column[1][i]
        return -1

"""Workers on fibers, each on a core that has a time of its own."""

from libc.stdint cimport int64_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.machine.simulated cimport SimulatedMachine
from streambench.pyx.simulate.events cimport Events
from streambench.pyx.simulate.fibers cimport Fiber

cpdef enum:
    MOST_CORES = 256            # as many as a line's readers are known of

cdef enum:
    NOBODY = -1

cdef struct Core:
    double now                  # ns since the start
    double busy                 # ns of work, with what the runtime takes for it
    double waited               # ns for cache lines that others had
    double idle                 # ns without anything to do
    double interrupted          # ns for which others had the core
    double interrupt_at         # ns: then they have it again
    bint by_lock                # it sleeps for a lock, not for work
    int64_t stamp               # of its entry in the events that counts
    bint working                # a piece of work has begun, and not ended
    bint under_gil              # and needs the interpreter's lock
    double during               # ns of the piece of work that it has begun, and
    double fetched              # of the lines that it reads for that
    int moved                   # and which of its data another core has, and in which plan
    int plan                    # PLAN_WHOLE, while it has all of the pipeline
    const void* asleep_at       # NULL: awake
    int64_t since               # which entry into the events was its falling asleep
    const void* late_for        # the lock that it found taken last, and has by now, or is about to try again
    bint starved                # out of memory

cdef struct Times:
    # What the machine takes, in ns.
    double near_line            # a line's way from another core of the cluster
    double cluster_line         # from a core of another cluster of the socket
    double far_line             # and from a core of another socket
    double stream_line          # a line of a unit that another core wrote: many are on their way at a time
    double pause
    double to_yield
    double wake_up              # from the call that wakes a sleeper until that runs
    double account              # to ask the system how long a thread has waited
    double wake_call            # of the call itself
    double hand_over            # of a lock to a sleeper: from its release until the sleeper has it
    double wait_call            # of the call that is to sleep for a lock, until the system
                                # looks whether it is still taken
    double vain_call            # of a call that is to wake somebody where nobody sleeps
    double memory               # bytes a ns that all cores of a socket together read from
                                # memory; 0: as much as they like
    double interrupted_every    # from one interruption of a core by others to the next, on the average; 0: never
    double interruption         # on the average

cdef class TimedCores(SimulatedMachine):
    cdef:
        Times times
        int workers
        vector[Core] cores
        Events happening
        Fiber* fibers                   # the workers', and behind them the calling thread's
        int here                        # the core that goes on just now; NOBODY: the calling thread does
        int64_t entered                 # into the events, ever
        int64_t until                   # events: then the calling thread looks up
        Crew crew
        int64_t begun_ticks
        double ticks_per_ns
        uint64_t noise                  # interruptions are drawn by it
        unordered_map[uint64_t, bint] marked    # by lock: who releases it is to call the system
    cdef readonly double ticks_of_a_second      # a rate as measured would differ from process to process, and
                                                # so would one that is rounded
    cdef readonly int64_t events
    cdef readonly double seconds
    cdef readonly tuple markers         # as Egress.markers, seconds since the start; None: the crew has no egress

    cdef bint go_on(self)
    cdef void enter(self, int core, double at) noexcept nogil
    cdef int next_core(self) noexcept nogil
    cdef void give_way(self) noexcept nogil
    cdef void take(self, double ns) noexcept nogil
    cdef double exponential(self, double mean) noexcept nogil
    cdef bint is_marked(self, const void* lock) noexcept nogil
    cdef void live_here(self, void (*work)(void*) noexcept nogil) noexcept nogil

"""The run queue: where a thread waits that could run and has no core, because somebody else has it.

Linux counts that by thread, in the second number of ``/proc/thread-self/schedstat``: ns since the thread
began. It grows when the thread gets a core again. A thread opens its own account; any other may then
read it, with one system call.
"""

from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from posix.fcntl cimport O_RDONLY, open
from posix.unistd cimport close, pread
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.simulated cimport AN_ACCOUNT, SimulatedMachine, machine_here


cdef enum:
    ASKED = 201

cdef int64_t UNKNOWN = -1


cdef class RunQueues:
    """The accounts of so many ``threads``, by number. Where the system keeps none, nobody has waited."""

    def __cinit__(self, int threads):
        self.threads = threads
        self.files = new_counters(threads)
        self.seen = new_counters(threads)
        self.late = new_counters(threads)

    def __dealloc__(self):
        cdef int k
        for k in range(self.threads):
            self.shut(k)
        delete_counters(self.files)
        delete_counters(self.seen)
        delete_counters(self.late)

    cdef void enter(self, int number) noexcept nogil:
        """The calling thread is this one."""
        self.shut(number)
        self.seen[number].value.store(0, memory_order_relaxed)
        if is_simulated():           # on a simulated machine nobody else has the cores
            return
        # Release pairs with `waited`.
        self.files[number].value.store(open("/proc/thread-self/schedstat", O_RDONLY) + 1, memory_order_release)

    cdef void shut(self, int number) noexcept nogil:
        cdef int file = <int>self.files[number].value.exchange(0) - 1
        if file >= 0:
            close(file)

    cdef int64_t waited(self) noexcept nogil:
        """ns that one of the threads has waited since this was last asked for: of all of
        them, the longest. One at a time.

        All are asked, for most of a microsecond each: one of many that waits on and on would else hardly count.
        """
        cdef int64_t longest = 0, now
        cdef int k
        for k in range(self.threads):
            if is_simulated():
                continue
            now = waited_by(<int>self.files[k].value.load(memory_order_acquire) - 1)
            if now != UNKNOWN:
                longest = max(longest, now - self.seen[k].value.load(memory_order_relaxed))
                self.note(k, now - self.seen[k].value.load(memory_order_relaxed))
                self.seen[k].value.store(now, memory_order_relaxed)
        return longest

    cdef void note(self, int number, int64_t waited) noexcept nogil:
        """This thread has waited so long."""
        self.late[number].value.store(self.late[number].value.load(memory_order_relaxed) + waited, memory_order_relaxed)

    cdef void forget(self) noexcept nogil:
        """From now on ``late`` counts anew."""
        cdef int k
        for k in range(self.threads):
            self.late[k].value.store(0, memory_order_relaxed)


cdef bint is_simulated() noexcept nogil:
    """On a simulated machine the account is asked for in its time. In any module: a real account takes far longer."""
    return machine_here() is not NULL and (<SimulatedMachine>machine_here()).spend(AN_ACCOUNT)


cdef int64_t waited_by(int file) noexcept nogil:
    """The second number of an account."""
    cdef char text[64]
    cdef ssize_t n, k = 0
    cdef int64_t ns = 0
    if file < 0:
        return UNKNOWN
    n = pread(file, text, sizeof(text), 0)
    while k < n and text[k] != c" ":
        k += 1
    if k >= n:
        return UNKNOWN
    k += 1
    while k < n and c"0" <= text[k] <= c"9":
        ns = 10 * ns + text[k] - c"0"
        k += 1
    return ns


def account_ns() -> float:
    """Return what it takes to ask for an account, in ns: the median of some."""
    cdef int file = open("/proc/thread-self/schedstat", O_RDONLY)
    cdef int64_t begun, k
    samples = []
    for k in range(ASKED):
        begun = nanoseconds()
        waited_by(file)
        samples.append(nanoseconds() - begun)
    if file >= 0:
        close(file)
    return float(sorted(samples)[ASKED // 2])


def waited_here() -> int:
    """The ns that the calling thread has waited for a core; -1 where the system does not tell."""
    cdef int file = open("/proc/thread-self/schedstat", O_RDONLY)
    cdef int64_t ns = waited_by(file)
    if file >= 0:
        close(file)
    return ns

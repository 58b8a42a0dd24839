"""The workers of a runtime: as many threads as are asked for, and no other; started, pinned,
watched, stopped and joined.

A crew knows nothing of what its workers do: an engine adds the sink (``engine``), another runtime what it needs. Its
workers look at ``stopped`` and sleep at ``parking``.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acquire, memory_order_seq_cst
from streambench.pyx.machine.clock cimport nanoseconds, ticks
from streambench.pyx.machine.memory cimport has_memory
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.parking cimport announce, delete_parking, new_parking, park, wake_all, withdraw
from streambench.pyx.machine.simulated cimport machine_here
from streambench.pyx.machine.thread_account cimport ThreadAccount, thread_account
from streambench.pyx.machine.threads cimport be_punctual, pin_to_core, thread

import errno

from streambench.pyx.machine.memory import OUT_OF_MEMORY
from streambench.pyx.machine.simulated import current


cdef extern from *:
    """
    #include <thread>
    namespace streambench {
    template <class T> inline T* new_array(int n) { return new T[n](); }
    template <class T> inline void delete_array(T* items) { delete[] items; }
    inline void start_thread(std::thread* threads, int k, void (*body)(void*), void* argument) {
        threads[k] = std::thread(body, argument);
    }
    }
    """
    thread* new_threads "streambench::new_array<std::thread>"(int n) except +
    void delete_threads "streambench::delete_array<std::thread>"(thread* threads) noexcept nogil
    void start_thread "streambench::start_thread"(thread* threads, int k, void (*body)(void*) noexcept nogil,
                                                  void* argument) except +

cdef int64_t TICK_NS = 100_000_000


cdef struct Worker:
    void* crew          # borrowed Crew, which joins the thread before it goes
    int number
    int core            # -1: not to be pinned
    # The worker's own account, read when it has been joined.
    bint unpinned       # it was not allowed on the core
    bint starved        # out of memory
    ThreadAccount account


cdef void work(void* argument) noexcept nogil:
    cdef Worker* worker = <Worker*>argument
    (<Crew>worker.crew).work(worker.number)


cdef void live(void* argument) noexcept with gil:
    # Python makes its state of a thread here, once, and not wherever a worker takes the GIL.
    with nogil:
        live_on(argument)


cdef void live_on(void* argument) noexcept nogil:
    cdef Worker* worker = <Worker*>argument
    cdef int64_t now
    worker.unpinned = worker.core >= 0 and not pin_to_core(worker.core)
    be_punctual()
    if not has_memory(work, worker):
        worker.starved = True
        (<Crew>worker.crew).token.stop()        # the others can no longer count on it
    worker.account = thread_account()
    now = nanoseconds()
    if (<Crew>worker.crew).sign_off():
        (<Crew>worker.crew).ended_ns = now


cdef class Crew:
    """``workers`` threads that run ``work``; ``cores``: where to pin them, empty for not at all."""

    def __cinit__(self, *args, **kwargs):
        self.token = StopToken()
        self.stopped = self.token.stopped
        self.parking = self.token.parking
        self.caller = new_parking()
        self.running = new_counters(1)
        self.unpinned = []
        self.accounts = []

    def __init__(self, int workers, tuple cores=()):
        self.workers = workers
        self.cores = cores

    def __dealloc__(self):
        delete_counters(self.running)
        delete_parking(self.caller)

    cdef void work(self, int number) noexcept nogil:
        """A worker's life: to the end of the work, or until ``stopped`` is 1."""
        pass

    cdef int64_t progress(self) noexcept nogil:
        """What a watch is told."""
        return 0

    def begin(self):
        """Called when the clocks have been read, before any worker is started."""

    def stop(self):
        """Have all workers return as soon as they can; from any thread."""
        self.token.stop()

    def run(self, watch=None):
        """Start the workers and return when all have returned.

        ``watch`` is called some ten times a second with the ``progress``; what it raises (and Ctrl-C) stops the workers
        and is raised again when all have returned. Raises MemoryError where a worker was not given memory, OSError
        where a thread could not be started. ``unpinned`` then names the cores that a worker could not be pinned to: it
        ran all the same, wherever the system put it. ``accounts``: what each worker took, see ``thread_account``. On a
        simulated machine the workers are its own, see ``SimulatedMachine``.
        """
        if machine_here() is not NULL:
            current().run_crew(self, watch)
            return
        cdef thread* threads = NULL
        cdef Worker* each = <Worker*>calloc(self.workers, sizeof(Worker))
        cdef int k, started = 0
        cdef bint starved = False
        self.unpinned = []
        self.accounts = []
        if each is NULL:
            raise MemoryError(OUT_OF_MEMORY)
        try:
            threads = new_threads(self.workers)
            self.running.value.store(self.workers)
            self.begun_ns = nanoseconds()
            self.begun_ticks = ticks()
            self.begin()
            for k in range(self.workers):
                each[k].crew = <void*>self
                each[k].number = k
                each[k].core = self.cores[k % len(self.cores)] if self.cores else -1
                try:
                    start_thread(threads, k, live, &each[k])
                except Exception as error:
                    raise OSError(errno.EAGAIN, f"only {k} of {self.workers} workers could be started ({error}): "
                                                "use fewer, or allow this process more threads") from error
                started += 1
            self.watch_while_running(watch)
        finally:
            with nogil:
                if self.running.value.load(memory_order_acquire) > 0:
                    self.token.stop()
                for k in range(started):
                    threads[k].join()
            delete_threads(threads)
            for k in range(started):
                starved = starved or each[k].starved
                if each[k].unpinned:
                    self.unpinned.append(each[k].core)
                self.accounts.append((each[k].account.cpu_ns, each[k].account.voluntary, each[k].account.involuntary))
            free(each)
        if starved:
            raise MemoryError(OUT_OF_MEMORY)

    cdef bint sign_off(self) noexcept nogil:
        """A worker returns. True for the last one: the thread in `watch_while_running` goes on."""
        if self.running.value.fetch_sub(1, memory_order_seq_cst) > 1:
            return False
        wake_all(self.caller)
        return True

    cdef int watch_while_running(self, watch) except -1:
        """Wait, without the GIL, until no worker is running; call ``watch`` some ten times a
        second. Ctrl-C gets through.

        A signal ends the sleep early; the tick is for those that another thread is given.
        """
        while self.running.value.load(memory_order_acquire) > 0:
            with nogil:
                announce(self.caller)
                if self.running.value.load(memory_order_seq_cst) > 0:       # pairs with sign_off
                    park(self.caller, TICK_NS)
                else:
                    withdraw(self.caller)
            if watch is not None:
                watch(self.progress())
            PyErr_CheckSignals()
        return 0

    @property
    def seconds(self) -> float:
        """From the start of the first worker to the return of the last."""
        return (self.ended_ns - self.begun_ns) * 1e-9

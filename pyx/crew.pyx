"""The workers of an engine: as many threads as are asked for, and no other; started, pinned, watched and joined here."""

from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acquire
from streambench.pyx.clock cimport nanoseconds, ticks
from streambench.pyx.padded cimport delete_counters, new_counters
from streambench.pyx.threads cimport be_punctual, pin_to_core, thread

import errno


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


cdef struct Worker:
    void* crew          # borrowed Crew, which joins the thread before it goes
    int number
    int core            # -1: not pinned


cdef void live(void* argument) noexcept nogil:
    cdef Worker* worker = <Worker*>argument
    cdef int64_t now
    if worker.core >= 0:
        pin_to_core(worker.core)
    be_punctual()
    (<Crew>worker.crew).work(worker.number)
    now = nanoseconds()
    if (<Crew>worker.crew).egress.sign_off((<Crew>worker.crew).running):
        (<Crew>worker.crew).ended_ns = now


cdef class Crew:
    """``workers`` threads that run ``work``; ``cores``: where to pin them, empty for not at all."""

    def __init__(self, int workers, tuple cores, int64_t marker_interval):
        self.workers = workers
        self.cores = cores
        self.egress = Egress(marker_interval)
        self.running = new_counters(1)

    def __dealloc__(self):
        delete_counters(self.running)

    cdef void work(self, int number) noexcept nogil:
        """A worker's life."""
        pass

    def begin(self):
        """Called when the clocks have been read, before any worker is started."""

    def run(self, watch=None):
        """Run to the end of the stream, or until an operator refuses a tuple.

        ``watch`` is called some ten times a second with the number of stream tuples that have reached the sink; what it
        raises (and Ctrl-C) stops the workers and is raised again when all have returned.
        """
        cdef thread* threads = new_threads(self.workers)
        cdef Worker* arguments = <Worker*>calloc(self.workers, sizeof(Worker))
        cdef int k, started = 0
        try:
            self.running.value.store(self.workers)
            self.begun_ns = nanoseconds()
            self.begun_ticks = ticks()
            self.begin()
            for k in range(self.workers):
                arguments[k].crew = <void*>self
                arguments[k].number = k
                arguments[k].core = self.cores[k % len(self.cores)] if self.cores else -1
                try:
                    start_thread(threads, k, live, &arguments[k])
                except Exception as error:
                    raise OSError(errno.EAGAIN, f"only {k} of {self.workers} workers could be started ({error}): "
                                                "use fewer, or allow this process more threads") from error
                started += 1
            self.egress.watch_while(self.running, watch)
        finally:
            with nogil:
                if self.running.value.load(memory_order_acquire) > 0:
                    self.egress.stop()
                for k in range(started):
                    threads[k].join()
            delete_threads(threads)
            free(arguments)

    @property
    def seconds(self) -> float:
        """From the start of the first worker to the return of the last."""
        return (self.ended_ns - self.begun_ns) * 1e-9

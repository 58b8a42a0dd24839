"""What others leave of the cores, and what of memory the cores can read: measured by threads that do nothing else."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_seq_cst
from libcpp.vector cimport vector
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.machine.threads cimport pin_to_core, thread

cdef enum:
    GAP = 20_000                # ns between two looks at the clock: longer, and another thread has had the core

cdef struct Watcher:
    int core
    int64_t span                # ns to look, or rounds over the buffer
    int64_t least               # ns of an interruption that counts
    PaddedCounter* ready        # threads that have not begun: they wait for each other
    int64_t* words
    int64_t n
    int64_t interruptions
    int64_t lost                # ns
    int64_t lasted              # ns
    int64_t total
    vector[int64_t]* gaps       # pairs: ns since the first look, ns; NULL: not wanted


def interruptions(tuple cores, double seconds, int64_t least=GAP):
    """Return (interruptions of all cores, ns for which others had them, ns for which was looked) of threads that keep
    every one of ``cores`` busy for so long. ``least``: ns that one lasts.

    Raises RuntimeError where the system lets no more threads be started.
    """
    cdef vector[Watcher] found
    cdef size_t k
    run(found, cores, watch, <int64_t>(seconds * 1e9), 0, least, NULL)
    return (sum(found[k].interruptions for k in range(found.size())), sum(found[k].lost for k in range(found.size())),
            sum(found[k].lasted for k in range(found.size())))


def gaps(tuple cores, double seconds):
    """Return, of each of ``cores``, when others had it: a list of (ns since the first look, ns), of threads that keep
    all of them busy for so long.

    Raises RuntimeError where the system lets no more threads be started.
    """
    cdef vector[Watcher] found
    cdef vector[vector[int64_t]] noted
    cdef size_t j, k
    run(found, cores, watch, <int64_t>(seconds * 1e9), 0, GAP, &noted)
    return [[(noted[k][j], noted[k][j + 1]) for j in range(0, noted[k].size(), 2)] for k in range(noted.size())]


def memory_bytes_per_ns(tuple cores, int64_t megabytes=64) -> float:
    """Return the bytes a nanosecond that ``cores`` read from memory at the same time, each of a
    buffer of its own, in sequence.

    A buffer should be larger than the caches. Raises RuntimeError where the system lets no more threads be started.
    """
    cdef vector[Watcher] found
    cdef size_t k
    run(found, cores, stream, 2, megabytes << 17, 0, NULL)
    return sum(8.0 * found[k].n * found[k].span / max(<int64_t>1, found[k].lasted) for k in range(found.size()))


cdef int run(vector[Watcher]& found, tuple cores, void (*body)(void*) noexcept nogil, int64_t span, int64_t words,
             int64_t least, vector[vector[int64_t]]* noted) except -1:
    cdef vector[thread*] threads
    cdef vector[vector[int64_t]] buffers
    cdef PaddedCounter* ready = new_counters(1)
    cdef size_t k, n = len(cores)
    ready.value.store(n)
    found.resize(n)
    buffers.resize(n)
    if noted is not NULL:
        noted.resize(n)
    try:
        for k in range(n):
            found[k] = Watcher(cores[k], span, least, ready, NULL, words, 0, 0, 0, 0, NULL)
            if noted is not NULL:
                found[k].gaps = &noted[0][k]
            if words:
                buffers[k].assign(words, 1)
                found[k].words = buffers[k].data()
        for k in range(n):
            threads.push_back(new thread(body, &found[k]))
    finally:
        if threads.size() < n:
            ready.value.store(0)        # those that were started need not wait
        with nogil:
            for k in range(threads.size()):
                threads[k].join()
                del threads[k]
        delete_counters(ready)
    return 0


cdef void begin(Watcher* own) noexcept nogil:
    pin_to_core(own.core)
    own.ready.value.fetch_sub(1, memory_order_seq_cst)
    while own.ready.value.load(memory_order_acquire) > 0:
        pass


cdef void watch(void* argument) noexcept nogil:
    cdef Watcher* own = <Watcher*>argument
    cdef int64_t begun, last, now
    begin(own)
    begun = last = nanoseconds()
    while last - begun < own.span:
        now = nanoseconds()
        if now - last >= own.least:
            own.interruptions += 1
            own.lost += now - last
            if own.gaps is not NULL:
                own.gaps.push_back(last - begun)
                own.gaps.push_back(now - last)
        last = now
    own.lasted = last - begun


cdef void stream(void* argument) noexcept nogil:
    cdef Watcher* own = <Watcher*>argument
    cdef int64_t begun, k, round, total = 0
    begin(own)
    begun = nanoseconds()
    for round in range(own.span):
        for k in range(own.n):
            total += own.words[k]
    own.lasted = nanoseconds() - begun
    own.total = total

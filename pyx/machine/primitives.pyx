"""What the machine's primitives take by themselves, apart from any pipeline: what a simulator is fed with.

How long one cache line takes from core to core is ``core_distance``'s. Each is the median of many: what the system does
meanwhile is not the primitive's.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_release
from streambench.pyx.machine.clock cimport nanoseconds, ticks
from streambench.pyx.machine.mutexes cimport Mutex, delete_mutexes, new_mutexes
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.machine.parking cimport (
    SLEEPER, Parking, announce, delete_parking, new_parking, park, rouse, sleep_while, wake_one,
)
from streambench.pyx.machine.threads cimport pause_briefly, pin_to_core, sleep_ns, yield_core
from streambench.pyx.machine.two_threads cimport run_two

from statistics import median

cdef enum:
    ROUNDS = 64
    IN_A_ROW = 256
    WORDS = 8192  # of a buffer that one core writes and another reads: 64 KiB, in the second level's cache
    WORDS_PER_LINE = 8
    SPINS = 20_000              # then yield: the other thread may be waiting for this very core
    LOOKED = 64                 # spins from one look at the deadline to the next
    STOPPED = -1
    FOR_EVER = -1
    AT_MOST = 100_000_000       # ns asleep, should nobody wake it
    ASLEEP_BY = 50_000          # ns: by then who has announced itself, or found a lock taken, sleeps

cdef struct Pair:
    PaddedCounter* turn         # whose it is: they come one after the other; STOPPED: nobody's
    Parking* parking
    Mutex* lock
    int64_t* words
    int first_core
    int second_core
    int64_t* spans              # ns, one a round; 0: it has not been
    bint of_call                # of a wake-up: what the call takes, not how long it is until the sleeper runs
    int64_t rounds
    int64_t held                # ns for which the holder has the lock
    int64_t deadline            # ns of the clock: from then on neither waits for the other; FOR_EVER: there is none


def pause_ns() -> float:
    """Return the nanoseconds of a spinning worker's pause."""
    return one_of_many(pause, NULL)


def yield_ns() -> float:
    """Return the nanoseconds of a yield where nobody else wants the core."""
    return one_of_many(give_up_core, NULL)


def clock_ns() -> float:
    """Return the nanoseconds of a look at the clock that the runtime reads."""
    return one_of_many(look_at_clock, NULL)


def read_modify_write_ns() -> float:
    """Return the nanoseconds of an atomic addition to a line that no other core has."""
    cdef PaddedCounter* counter = new_counters(1)
    try:
        return one_of_many(add_one, counter)
    finally:
        delete_counters(counter)


def wait_call_ns() -> float:
    """Return the nanoseconds of a call that is to sleep, where what it waits for has happened before it slept."""
    return of_parking(wait_in_vain)


def vain_call_ns() -> float:
    """Return the nanoseconds of a call that is to wake a sleeper where nobody sleeps."""
    return of_parking(wake_nobody)


cdef double of_parking(void (*primitive)(void*) noexcept nogil):
    cdef Parking* parking = new_parking()
    try:
        return one_of_many(primitive, parking)
    finally:
        delete_parking(parking)


cdef void wait_in_vain(void* argument) noexcept nogil:
    sleep_while(<Parking*>argument, SLEEPER, AT_MOST)       # its state is another one


cdef void wake_nobody(void* argument) noexcept nogil:
    rouse(<Parking*>argument, 1)


cdef void pause(void* argument) noexcept nogil:
    pause_briefly()


cdef void give_up_core(void* argument) noexcept nogil:
    yield_core()


cdef void look_at_clock(void* argument) noexcept nogil:
    ticks()


cdef void add_one(void* argument) noexcept nogil:
    (<PaddedCounter*>argument).value.fetch_add(1, memory_order_acq_rel)


cdef double one_of_many(void (*primitive)(void*) noexcept nogil, void* argument):
    cdef int64_t k, begun
    spans = []
    for _ in range(ROUNDS):
        begun = nanoseconds()
        for k in range(IN_A_ROW):
            primitive(argument)
        spans.append((nanoseconds() - begun) / <double>IN_A_ROW)
    return median(spans)


def wake_call_ns(int first, int second, int64_t rounds=ROUNDS) -> float:
    """Return the nanoseconds that the call takes by which core ``first`` wakes a sleeper, on core ``second``.

    Raises RuntimeError where the system lets no more threads be started.
    """
    return of_two(first, second, sleeper, waker, True, rounds)


def hand_over_ns(int first, int second, int64_t rounds=ROUNDS, int64_t held=ASLEEP_BY) -> float:
    """Return the nanoseconds from core ``first``'s release of a lock until a thread has it that
    sleeps for it, on core ``second``.

    ``held``: ns for which it is taken before. Raises RuntimeError where the system lets no more threads be started.
    """
    return of_two(first, second, taker, holder, False, rounds, FOR_EVER, held)


def wake_up_ns(int first, int second, int64_t rounds=ROUNDS) -> float:
    """Return the nanoseconds from a call on core ``first`` that wakes a sleeper until that runs, on core ``second``.

    Raises RuntimeError where the system lets no more threads be started.
    """
    return of_two(first, second, sleeper, waker, False, rounds)


def stream_line_ns(int first, int second, int64_t rounds=ROUNDS, int64_t patience=FOR_EVER) -> float:
    """Return the nanoseconds that core ``second`` takes for each line of a buffer that core ``first`` has just written.

    Raises TimeoutError where ``patience`` ns were not enough (below 0: any time is), RuntimeError where the system
    lets no more threads be started.
    """
    if rounds < 1:
        raise ValueError(f"a measurement needs at least 1 round, not {rounds}")
    return of_two(first, second, reader, writer, False, rounds, patience) * <double>WORDS_PER_LINE / <double>WORDS


cdef double of_two(int first, int second, void (*other)(void*) noexcept nogil, void (*one)(void*) noexcept nogil,
                   bint of_call=False, int64_t rounds=ROUNDS, int64_t patience=FOR_EVER,
                   int64_t held=ASLEEP_BY) except -1:
    cdef Pair* pair = <Pair*>calloc(1, sizeof(Pair))
    cdef bint is_ours = True
    cdef int64_t k
    if pair is NULL:
        raise MemoryError
    pair.of_call = of_call
    pair.rounds = rounds
    pair.held = held
    pair.deadline = FOR_EVER if patience == FOR_EVER else nanoseconds() + patience
    pair.first_core, pair.second_core = first, second
    try:
        pair.turn = new_counters(1)
        pair.parking = new_parking()
        pair.lock = new_mutexes(1)
        pair.words = <int64_t*>calloc(WORDS, sizeof(int64_t))
        pair.spans = <int64_t*>calloc(rounds, sizeof(int64_t))
        if pair.words is NULL or pair.spans is NULL:
            raise MemoryError
        with nogil:
            is_ours = run_two(one, other, pair, stop, discard, patience)
        done = [pair.spans[k] for k in range(rounds) if pair.spans[k] > 0] if is_ours else []
        if not done:
            raise TimeoutError("no round was over in time")
        return median(done)
    finally:
        if is_ours:
            discard(pair)


cdef void stop(void* argument) noexcept nogil:
    (<Pair*>argument).turn.value.store(STOPPED)


cdef void discard(void* argument) noexcept nogil:
    cdef Pair* pair = <Pair*>argument
    delete_counters(pair.turn)
    delete_parking(pair.parking)
    delete_mutexes(pair.lock)
    free(pair.words)
    free(pair.spans)
    free(pair)


cdef bint await_turn(Pair* pair, int64_t turn) noexcept nogil:
    cdef int64_t spins = 0, seen
    while True:
        seen = pair.turn.value.load(memory_order_acquire)
        if seen == turn:
            return True
        if seen == STOPPED:
            return False
        spins += 1
        if pair.deadline != FOR_EVER and spins % LOOKED == 0 and nanoseconds() >= pair.deadline:
            stop(pair)
            return False
        if spins > SPINS:
            yield_core()
        else:
            pause_briefly()


cdef void pass_turn(Pair* pair, int64_t turn) noexcept nogil:
    pair.turn.value.store(turn + 1, memory_order_release)


cdef void writer(void* argument) noexcept nogil:
    cdef Pair* pair = <Pair*>argument
    cdef int64_t k, word
    pin_to_core(pair.first_core)
    for k in range(pair.rounds):
        if not await_turn(pair, 2 * k):
            return
        for word in range(WORDS):
            pair.words[word] += k
        pass_turn(pair, 2 * k)


cdef void reader(void* argument) noexcept nogil:
    cdef Pair* pair = <Pair*>argument
    cdef int64_t k, word, begun, total = 0
    pin_to_core(pair.second_core)
    for k in range(pair.rounds):
        if not await_turn(pair, 2 * k + 1):
            return
        begun = nanoseconds()
        for word in range(WORDS):
            total += pair.words[word]
        pair.words[0] = total               # so that the compiler leaves no read out
        pair.spans[k] = nanoseconds() - begun
        pass_turn(pair, 2 * k + 1)


cdef void sleeper(void* argument) noexcept nogil:
    cdef Pair* pair = <Pair*>argument
    cdef int64_t k
    pin_to_core(pair.second_core)
    for k in range(pair.rounds):
        if not await_turn(pair, 2 * k):
            return
        announce(pair.parking)
        pass_turn(pair, 2 * k)
        park(pair.parking, AT_MOST)
        if not pair.of_call:
            pair.spans[k] = nanoseconds() - pair.spans[k]       # since the waker's call


cdef void waker(void* argument) noexcept nogil:
    cdef Pair* pair = <Pair*>argument
    cdef int64_t k, begun
    pin_to_core(pair.first_core)
    for k in range(pair.rounds):
        if not await_turn(pair, 2 * k + 1):
            return
        sleep_ns(ASLEEP_BY)
        begun = pair.spans[k] = nanoseconds()       # the sleeper reads it when it has been woken
        wake_one(pair.parking)
        if pair.of_call:
            pair.spans[k] = nanoseconds() - begun
        pass_turn(pair, 2 * k + 1)


# A hand-over's round has three turns. The holder takes the lock again only after the taker has had it: sooner it would
# have it back before the sleeper runs, who then waits for the next round's release as well.

cdef void taker(void* argument) noexcept nogil:
    cdef Pair* pair = <Pair*>argument
    cdef int64_t k
    pin_to_core(pair.second_core)
    for k in range(pair.rounds):
        if not await_turn(pair, 3 * k + 1):
            return
        pass_turn(pair, 3 * k + 1)
        pair.lock.lock()
        pair.spans[k] = nanoseconds() - pair.spans[k]       # written by the holder just before it released
        pair.lock.unlock()
        pass_turn(pair, 3 * k + 2)


cdef void holder(void* argument) noexcept nogil:
    cdef Pair* pair = <Pair*>argument
    cdef int64_t k
    pin_to_core(pair.first_core)
    for k in range(pair.rounds):
        if not await_turn(pair, 3 * k):
            return
        pair.lock.lock()
        pass_turn(pair, 3 * k)
        if await_turn(pair, 3 * k + 2):
            sleep_ns(pair.held)
            pair.spans[k] = nanoseconds()
        pair.lock.unlock()

"""How far apart two cores are: the round trip of a cache line between them.

It decides what handing a unit to another worker costs. On a virtual machine it can change while one watches, when the
host moves a virtual core to another part of the chip.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acquire, memory_order_release
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.machine.threads cimport pause_briefly, pin_to_core, yield_core
from streambench.pyx.machine.two_threads cimport run_two

cdef enum:
    SPINS = 20_000          # then yield: the other thread may be waiting for this very core
    LOOKED = 64             # spins from one look at the deadline to the next: more than a ball takes to come back
    STOPPED = -1            # nobody's turn: there is no other player, or it is late
    FOR_EVER = -1
    WINDOWS = 8             # of a short measurement
    WINDOW = 20             # round trips

cdef struct Game:
    PaddedCounter* ball     # even: the first player's turn, odd: the second's
    int first_core
    int second_core
    int64_t begins          # the round with which counting begins: the first ones wait for the other thread to start
    int64_t window          # rounds
    int64_t windows
    int64_t deadline        # ns of the clock: from then on nobody waits for the ball; FOR_EVER: there is none
    int64_t least           # ns that a window took; 0: none is over


cdef void first_player(void* argument) noexcept nogil:
    cdef Game* game = <Game*>argument
    cdef int64_t k, begun = 0, now
    pin_to_core(game.first_core)
    for k in range(game.begins + game.windows * game.window + 1):
        if not await_ball(game, 2 * k):
            return
        if k >= game.begins and (k - game.begins) % game.window == 0:
            now = nanoseconds()
            if k > game.begins and (game.least == 0 or now - begun < game.least):
                game.least = now - begun
            begun = now
        game.ball.value.store(2 * k + 1, memory_order_release)


cdef void second_player(void* argument) noexcept nogil:
    cdef Game* game = <Game*>argument
    cdef int64_t k
    pin_to_core(game.second_core)
    for k in range(game.begins + game.windows * game.window + 1):
        if not await_ball(game, 2 * k + 1):
            return
        game.ball.value.store(2 * k + 2, memory_order_release)


cdef bint await_ball(Game* game, int64_t value) noexcept nogil:
    """False: it will not come."""
    cdef int64_t spins = 0, seen
    while True:
        seen = game.ball.value.load(memory_order_acquire)
        if seen == value:
            return True
        if seen == STOPPED:
            return False
        spins += 1
        if game.deadline != FOR_EVER and spins % LOOKED == 0 and nanoseconds() >= game.deadline:
            stop(game)
            return False
        if spins > SPINS:
            yield_core()
        else:
            pause_briefly()


cdef void stop(void* argument) noexcept nogil:
    (<Game*>argument).ball.value.store(STOPPED, memory_order_release)


cdef void discard(void* argument) noexcept nogil:
    delete_counters((<Game*>argument).ball)
    free(argument)


def round_trip_ns(int first, int second, int64_t rounds=5000) -> float:
    """Return the nanoseconds in which a cache line goes from core ``first`` to core ``second`` and back.

    Raises RuntimeError where the system lets no more threads be started.
    """
    if rounds < 10:
        raise ValueError(f"a measurement needs at least 10 rounds, not {rounds}")
    return least_window(first, second, rounds // 10, rounds - rounds // 10, 1, FOR_EVER)


def short_round_trip_ns(int first, int second, int64_t patience) -> float:
    """The same by the least of a few short windows: a fifth of a millisecond with the threads that it takes.

    Raises TimeoutError where ``patience`` ns were not enough: somebody else is on one of the cores.
    """
    return least_window(first, second, WINDOW, WINDOW, WINDOWS, patience)


cdef double least_window(int first, int second, int64_t begins, int64_t window, int64_t windows,
                         int64_t patience) except -1:
    cdef Game* game = <Game*>calloc(1, sizeof(Game))
    cdef bint is_ours = True
    if game is NULL:
        raise MemoryError
    game.first_core, game.second_core = first, second
    game.begins, game.window, game.windows = begins, window, windows
    game.deadline = FOR_EVER if patience == FOR_EVER else nanoseconds() + patience
    try:
        game.ball = new_counters(1)
        with nogil:
            is_ours = run_two(first_player, second_player, game, stop, discard, patience)
        if not is_ours or game.least == 0:
            raise TimeoutError("no round trip was over in time")
        return game.least / <double>window
    finally:
        if is_ours:
            discard(game)

"""How far apart two cores are: the round trip of a cache line between them.

It decides what handing a unit to another worker costs. On a virtual machine it can change while one watches, when the
host moves a virtual core to another part of the chip.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_release
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.machine.threads cimport pause_briefly, pin_to_core, thread, yield_core

cdef enum:
    SPINS = 20_000          # then yield: the other thread may be waiting for this very core
    STOPPED = -1            # nobody's turn: there is no other player

cdef struct Player:
    PaddedCounter* ball     # even: the first player's turn, odd: the second's
    int64_t rounds
    int64_t parity
    int core
    int64_t spent           # ns


cdef void play(void* argument) noexcept nogil:
    cdef Player* player = <Player*>argument
    cdef int64_t k, seen, spins, begun = 0
    pin_to_core(player.core)
    for k in range(player.rounds):
        spins = 0
        while True:
            seen = player.ball.value.load(memory_order_acquire)
            if seen == 2 * k + player.parity:
                break
            if seen == STOPPED:
                return
            spins += 1
            if spins > SPINS:
                yield_core()
            else:
                pause_briefly()
        if k == player.rounds // 10:        # the first rounds wait for the other thread to start
            begun = nanoseconds()
        player.ball.value.store(2 * k + player.parity + 1, memory_order_release)
    player.spent = nanoseconds() - begun


def round_trip_ns(int first, int second, int64_t rounds=5000) -> float:
    """Return the nanoseconds in which a cache line goes from core ``first`` to core ``second`` and back.

    Raises RuntimeError where the system lets no more threads be started.
    """
    if rounds < 10:
        raise ValueError(f"a measurement needs at least 10 rounds, not {rounds}")
    cdef PaddedCounter* ball = new_counters(1)
    cdef Player one = Player(ball, rounds, 0, first, 0)
    cdef Player two = Player(ball, rounds, 1, second, 0)
    cdef thread* other = NULL
    cdef thread* this = NULL
    try:
        other = new thread(play, &two)
        this = new thread(play, &one)
    finally:
        if this == NULL:
            ball.value.store(STOPPED, memory_order_release)
        with nogil:
            if this != NULL:
                this.join()
            if other != NULL:
                other.join()
            del this
            del other
            delete_counters(ball)
    return one.spent / <double>(rounds - rounds // 10)

"""How many rounds of the parametric operators' computation take a given time on this machine."""

from __future__ import annotations

import functools

from streambench.queries.parametric.operators import time_rounds

LEAST_SECONDS = 1e-3  # of a measured computation: long against the clock, short enough to fit between interruptions
TRIES = 40


@functools.cache
def seconds_per_round(tuple_size: int, state_size: int = 0) -> float:
    """Seconds of a round, in one thread; measured once per process, the least of several tries.

    It grows with the sizes (numbers of 64-bit values), as a round is a row of the matrix times the whole vector.
    """

    def seconds(rounds: int) -> float:
        elapsed: float = time_rounds(tuple_size=tuple_size, state_size=state_size, rounds=rounds)[0]
        return elapsed

    rounds = 1
    while seconds(rounds) < LEAST_SECONDS:
        rounds *= 2
    return min(seconds(rounds) for _ in range(TRIES)) / rounds


def rounds_for(cost_us: float, tuple_size: int, state_size: int = 0) -> int:
    """The rounds whose cost comes closest to ``cost_us`` microseconds, at least 1; none for a cost of 0.

    What a tuple costs besides (copying, emitting, the runtime) is not in it: a cost of 0 shows that.
    """
    if cost_us == 0:
        return 0
    return max(1, round(cost_us * 1e-6 / seconds_per_round(tuple_size, state_size)))

"""How many laps of its stream a real run takes, so that it lasts about as long as it is to."""

from __future__ import annotations

from collections.abc import Callable

MOST_LAPS = 1 << 10
MOST_TIMES = 8  # as many laps in the next try: of few laps most of the time may be a run's beginning


def laps_of(run: Callable[[int], float], seconds: float, most: int = MOST_LAPS) -> int:
    """Laps, a power of two up to ``most``, of which a run lasts from two thirds of ``seconds`` to four thirds.

    ``run``: runs so many laps and returns the seconds that it took. The first time it is cold, and does not count.
    """
    run(1)
    laps = 1
    while 2 * laps <= min(most, MOST_LAPS):
        taken, tried = run(laps), laps
        while 2 * laps <= min(most, MOST_LAPS, MOST_TIMES * tried) and 1.5 * taken * laps / tried < seconds:
            laps *= 2
        if laps == tried:
            break
    return laps

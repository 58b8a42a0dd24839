"""The micro pipeline over workers, beside as many hand-fused loops at once: what the runtime makes of the cores.

Each loop works on a whole stream of its own, so that the loops share nothing but the machine. The faster so many
workers are in a trial, the longer their stream is: all runs last about as long.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from streambench.host.limits import default_workers
from streambench.lab.measure.perf.case import NS, Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.micro_pipeline import know_references
from streambench.lab.measure.perf.own_loops import loop, loops
from streambench.lab.measure.perf.sections.micro import ordered
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.measure.perf.streams import stream

NAME, TITLE, NEEDS_DATA = "scaling", "The micro pipeline over workers, beside as many loops at once", False
WORK = {0: "no work", 100: "100 ns", 1_000: "1 µs", 10_000: "10 µs"}
WHERE = {"stateless": ("map", 0.0), "keyed": ("keyed", 0.0), "hot key": ("keyed", 0.3)}
ONE = "1 loop"
TRIALS = 2  # the first one is mostly a run's beginning


def cases(settings: Settings) -> list[Case]:
    """A case for each amount and place of work."""
    return [
        Case(f"{amount}, {kind}", partial(_over_workers, settings, f"{amount}, {kind}", ns, *where))
        for ns, amount in WORK.items()
        for kind, where in WHERE.items()
    ]


def doublings(most: int) -> list[int]:
    """1, 2, 4 and so on, and ``most``."""
    return sorted({*(1 << power for power in range(most.bit_length()) if 1 << power < most), most})


def _over_workers(settings: Settings, what: str, ns: int, where: str, hot: float, into: Measured, tell: Tell) -> None:
    counts = sorted(settings.workers or doublings(default_workers()))
    of = partial(stream, ns, where, hot=hot)
    base = of(settings.seconds)
    know_references([base])
    alone = base.loop().ns
    speeds = {count: max(1.0, count / 4) for count in counts}
    for trial in range(TRIALS + 1):
        streams = {count: of(settings.seconds * speeds[count]) for count in counts}
        tell(f"the loop's sequences, for trial {trial + 1}" if trial < TRIALS else "the loop's sequences")
        know_references(streams.values())
        if trial < TRIALS:
            measured = {count: alone / ordered(streams[count], count)() for count in counts}
            speeds = {count: min(max(1.0, measured[count]), float(count)) for count in counts}
    things: dict[str, Callable[[], float]] = {ONE: loop(base)}
    things |= {f"{count} workers": ordered(streams[count], count) for count in counts}
    things |= {f"{count} loops": loops(base, count) for count in counts if count > 1}
    found = interleave(things, settings.repeats, into.distances, tell, warm_up=False, limit=settings.limit)
    into.keep(found, NS)
    for count in counts:
        into.ratio(f"{what}: {count} workers against 1 loop", ONE, f"{count} workers")
        if count > 1:
            into.ratio(f"{what}: {count} loops at once against 1 loop", ONE, f"{count} loops")
            into.ratio(f"{what}: {count} workers against {count} loops at once", f"{count} loops", f"{count} workers")

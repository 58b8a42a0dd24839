"""The micro pipeline against one loop: one worker and two without work, two with 100 ns and with 1 to 100 µs of it."""

from __future__ import annotations

from collections.abc import Callable

from streambench.execution.options import Options
from streambench.lab.measure.perf.case import NS, Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.micro_pipeline import MicroPipeline
from streambench.lab.measure.perf.own_loops import TWO_LOOPS, loop, loops, two_loops
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.measure.perf.streams import stream

NAME, TITLE, NEEDS_DATA = "micro", "Micro pipeline against the loop", False
LIGHT = {
    "100 ns, stateless": ("map", 0.0),
    "100 ns, half and half": ("both", 0.0),
    "100 ns, keyed": ("keyed", 0.0),
    "100 ns, keyed, one key at 30 %": ("keyed", 0.3),
}
HEAVY = {1_000: "1 µs", 10_000: "10 µs", 100_000: "100 µs"}
WHERE = {"map": "stateless", "keyed": "keyed"}


def cases(settings: Settings) -> list[Case]:
    """A case for each kind of work."""
    found = [Case("no work", lambda into, tell: _no_work(settings, into, tell))]
    found += [_two_workers(settings, what, 100, where, hot) for what, (where, hot) in LIGHT.items()]
    found += [
        _two_workers(settings, f"{amount}, {kind}", ns, where)
        for ns, amount in HEAVY.items()
        for where, kind in WHERE.items()
    ]
    return found


def ordered(micro: MicroPipeline, workers: int, unit: int | None = None, plan: str = "auto") -> Callable[[], float]:
    """What measures the ordered engine, in ns per tuple; it chooses the unit where none is given."""
    options = Options(workers=workers, unit=unit, plan=plan, laps=micro.laps, preload=True)
    return lambda: micro.engine(options)[0].ns


def _no_work(settings: Settings, into: Measured, tell: Tell) -> None:
    micro = stream(0, "map", settings.seconds)
    things = {
        "loop": loop(micro),
        "1 worker": ordered(micro, 1),
        "2 workers": ordered(micro, 2),
        TWO_LOOPS: loops(micro, 2),
    }
    found = interleave(things, settings.repeats, into.distances, tell)
    into.keep(found, NS)
    into.excess("no work: 1 worker's overhead", "1 worker", "loop", "ns")
    _against_the_loop(into, "no work", found)


def _two_workers(settings: Settings, what: str, ns: int, where: str, hot: float = 0.0) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        seconds = settings.seconds * (1 if what in LIGHT else 2)  # at 100 µs half a second holds few tuples
        micro = stream(ns, where, seconds, hot=hot)
        things = {"loop": loop(micro), "2 workers": ordered(micro, 2), TWO_LOOPS: loops(micro, 2)}
        found = interleave(things, settings.repeats, into.distances, tell)
        into.keep(found, NS)
        _against_the_loop(into, what, found)

    return Case(what, measure)


def _against_the_loop(into: Measured, what: str, found: dict[str, list[float]]) -> None:
    into.ratio(f"{what}: 2 workers", "loop", "2 workers", note=two_loops(found, "loop"))

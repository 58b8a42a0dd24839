"""The micro pipeline against the fused loop."""

from __future__ import annotations

from collections.abc import Callable

from interleave import interleave
from micro.pipeline import Micro
from sections.section import TIMES, Plan, Section, Tell, excess, number, times_faster
from sections.streams import stream

from streambench.options import Options

HEAVY = {1_000: "1 µs", 10_000: "10 µs", 100_000: "100 µs"}
WHERE = {"map": "stateless", "keyed": "keyed"}
TWO_LOOPS = "two loops at once"


def measure(plan: Plan, tell: Tell) -> Section:
    """One worker and two without work, two with 100 ns and with 1 to 100 µs of work."""
    section = Section("Micro pipeline against the fused loop")
    _no_work(section, plan, tell)
    for what, where, hot, target in (
        ("100 ns, stateless", "map", 0.0, 1.9),
        ("100 ns, half and half", "both", 0.0, 1.9),
        ("100 ns, keyed", "keyed", 0.0, 1.9),
        ("100 ns, keyed, one key at 30 %", "keyed", 0.3, 1.85),
    ):
        _two_workers(section, plan, tell, what, stream(100, where, plan.seconds, hot=hot), target)
    for ns, amount in HEAVY.items():
        for where, kind in WHERE.items():
            micro = stream(ns, where, 2 * plan.seconds)  # at 100 µs half a second holds few tuples
            _two_workers(section, plan, tell, f"{amount}, {kind}", micro, 1.95)
    return section


def fused(micro: Micro) -> Callable[[], float]:
    """What measures the fused loop, in ns per tuple."""
    return lambda: micro.fused().ns


def loops(micro: Micro, threads: int) -> Callable[[], float]:
    """What measures as many fused loops at the same time, in ns per tuple: the most that these cores give."""
    return lambda: micro.loops(threads).ns


def ordered(micro: Micro, workers: int, unit: int | None = None, plan: str = "auto") -> Callable[[], float]:
    """What measures the ordered engine, in ns per tuple; it chooses the unit where none is given."""
    options = Options(workers=workers, unit=unit, plan=plan, laps=micro.laps, preload=True)
    return lambda: micro.engine(options)[0].ns


def _no_work(section: Section, plan: Plan, tell: Tell) -> None:
    tell("no work, 1 worker and 2")
    micro = stream(0, "map", plan.seconds)
    things = {
        "fused": fused(micro),
        "1 worker": ordered(micro, 1),
        "2 workers": ordered(micro, 2),
        TWO_LOOPS: loops(micro, 2),
    }
    found = interleave(things, plan.repeats, plan.distances)
    for name, values in found.items():
        section.record(f"no work, {name}", values, "ns per tuple")
    section.add("no work: 1 worker's overhead", excess(found["1 worker"], found["fused"]), "ns", 0.5, at_most=True)
    _against_fused(section, "no work", found, 1.05)


def _two_workers(section: Section, plan: Plan, tell: Tell, what: str, micro: Micro, target: float) -> None:
    tell(f"{what}, 2 workers")
    things = {"fused": fused(micro), "2 workers": ordered(micro, 2), TWO_LOOPS: loops(micro, 2)}
    found = interleave(things, plan.repeats, plan.distances)
    for name, values in found.items():
        section.record(f"{what}, {name}", values, "ns per tuple")
    _against_fused(section, what, found, target)


def _against_fused(section: Section, what: str, found: dict[str, list[float]], target: float) -> None:
    note = f"{TWO_LOOPS} {number(times_faster(found['fused'], found[TWO_LOOPS]).median)}"
    section.add(f"{what}: 2 workers", times_faster(found["fused"], found["2 workers"]), TIMES, target, note=note)

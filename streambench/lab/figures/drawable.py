"""Which simulated points figures show: of runs that are long enough, and of workloads that one simulated worker takes
as long for as a measured one, as nearly as `streambench simulate validate` lets expect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from streambench.lab.figures.points import Document
from streambench.lab.figures.selection import SCHEMES, ConfigPoint, Selection, select, throughput
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.simulation_summary import LEAST_WINDOWS, windows
from streambench.lab.record.validation_summary import band

Range = tuple[float, float]
Curves = tuple[Any, ...]
"""A workload, and how its tuples are scheduled and ordered: what a figure's curves have in common."""
LENGTHS = ("laps", "markers", "preload", "read_ahead", "pin", "place")  # what a simulated run need not share


@dataclass(frozen=True)
class Drawable:
    """A simulated sweep's ``whole`` selection, and what says which of its points are shown.

    ``simulated_as``: by curves, times what was measured of one worker that the simulated ones are, from the least to
    the most; ``allowed``: the least and the most that nine of ten configurations have, None where that is not known.
    """

    whole: Selection
    simulated_as: dict[Curves, Range]
    allowed: Range | None

    def reasons(self, points: Iterable[ConfigPoint]) -> list[str]:
        """Why some of ``points`` are not shown, and which."""
        short: dict[str, set[int]] = {}
        off: dict[str, None] = {}
        for point in points:
            parts = self.simulated_as.get(_curves(point))
            if not long_enough(point):
                short.setdefault(_name(point), set()).add(point["workers"])
            elif parts is not None and not self._lies_within(parts):
                off[f"{_name(point)} ({_times(parts)})"] = None
        told = [f"{name} on {', '.join(map(str, sorted(cores)))} cores" for name, cores in short.items()]
        reasons = [f"a run lasted less than {LEAST_WINDOWS} of the scheduler's windows: {'; '.join(told)}"] * bool(told)
        if off and self.allowed is not None:
            reasons.append(
                f"one simulated worker is not {_times(self.allowed)} times as fast as a measured one, "
                f"as nine of ten compared ones are: {', '.join(off)}"
            )
        return reasons

    def not_compared(self, points: Iterable[ConfigPoint]) -> list[str]:
        """The workloads of ``points`` of which nobody knows how one simulated worker compares with a measured one."""
        unknown = (each for each in points if self.allowed is None or _curves(each) not in self.simulated_as)
        return list(dict.fromkeys(map(_name, unknown)))

    def shows(self, point: ConfigPoint) -> bool:
        """Whether a point of the whole is shown."""
        parts = self.simulated_as.get(_curves(point))
        return long_enough(point) and (parts is None or self._lies_within(parts))

    def _lies_within(self, parts: Range) -> bool:
        return self.allowed is None or (self.allowed[0] <= parts[0] and parts[1] <= self.allowed[1])

    @property
    def shown(self) -> Selection:
        """What is shown."""
        return self.whole.where(self.shows)


def drawable(document: Document, measured: Document | None, validation: Document | None) -> Drawable:
    """What of a simulated sweep's document is shown beside that of a ``measured`` sweep; ``validation``: of
    `streambench simulate validate`. Without one of these two no workload is left out, and captions say so."""
    whole = select(document)
    factors = None if validation is None else band(validation["summary"], "throughput", SCHEMES, 1)
    allowed = None if factors is None else (1 / factors[1], 1 / factors[0])
    return Drawable(whole, {} if measured is None else _compared(whole, select(measured)), allowed)


def long_enough(point: ConfigPoint) -> bool:
    """Whether each run of a configuration lasted as many windows of the scheduler as it takes; one without numbers is
    wrong, and told as such."""
    return all(run["seconds"] is None or windows(run) >= LEAST_WINDOWS for run in point.runs)


def _compared(simulated: Selection, measured: Selection) -> dict[Curves, Range]:
    """By curves, times which the simulated throughputs of one worker are those measured of the same configuration."""
    real: dict[tuple[Any, ...], float] = {_alike(point): _median(point) for point in _of_one_worker(measured)}
    found: dict[Curves, list[float]] = {}
    for point in _of_one_worker(simulated):
        if _alike(point) in real:
            found.setdefault(_curves(point), []).append(_median(point) / real[_alike(point)])
    return {curves: (min(parts), max(parts)) for curves, parts in found.items()}


def _curves(point: ConfigPoint) -> Curves:
    return (point.workload, *(point[name] for name in ("unit", "fuse", "rate")))


def _of_one_worker(selection: Selection) -> Sequence[ConfigPoint]:
    return [point for point in selection.where(workers=1).points if point.series(throughput)]


def _alike(point: ConfigPoint) -> tuple[Any, ...]:
    """What two configurations have in common however long their streams are."""
    stream = None if point["micro"] is None else sorted({**point["micro"], "tuples": 0}.items(), key=str)
    return (point["query"], str(stream), *(point[name] for name in CONFIGURATION if name not in LENGTHS))


def _median(point: ConfigPoint) -> float:
    return median(point.series(throughput).values())


def _times(parts: Range) -> str:
    return " to ".join(dict.fromkeys(f"{each:.2f}" for each in parts))


def _name(point: ConfigPoint) -> str:
    """A query; a parametric pipeline with what its operators take."""
    costs = [f"{each['cost_us']:g}" for each in point.operators]
    return f"{point['query']}{' of ' + ', '.join(costs) + ' µs' if costs else ''}"

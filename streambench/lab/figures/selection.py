"""Which runs of a sweep's document are drawn and compared: its configurations, and of several the best.

A configuration is everything of a run but its repeat and what was measured. It is right when the sequence and the
answer of all its runs are; a wrong one has no number. A series is a value by repeat: they are compared so.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, NamedTuple

from streambench.errors import StreambenchError
from streambench.lab.figures import points
from streambench.lab.figures.points import Measure, Series, divide
from streambench.lab.record import statistics
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.run import Plain as Run
from streambench.lab.record.statistics import Interval, Ratio
from streambench.lab.record.summary import SERIAL, verified
from streambench.lab.workloads.operator_cost import OperatorCost
from streambench.queries.query import PAPER_QUERIES

KIND = "sweep"
SCHEMES = "schemes"  # the engine that the figures are of
QUERIES = PAPER_QUERIES
FIELDS = ("query", "micro", *CONFIGURATION)
COST = "operator_cost"

_SPEC = ("cost_us", "selectivity", "state_size", "tuple_size", "keys", "sigma", "key_space")


class Mode(NamedTuple):
    """How tuples are scheduled and ordered: ``unit`` at a time, stateless operators ``fuse``d or each by itself.

    ``operator_cost``: work that was added to the operators of queries, empty for none. ``rate``: tuples per second that
    arrived, 0 for as fast as possible.
    """

    unit: int
    fuse: bool
    operator_cost: str = ""
    rate: float = 0.0


@dataclass(frozen=True)
class ConfigPoint(points.Point):
    """One configuration of a sweep and its runs."""

    @property
    def right(self) -> bool:
        return all(map(verified, self.runs))

    @property
    def workload(self) -> str:
        """What was run, apart from how: a query's name, or a parametric pipeline's whole description."""
        return f"{self['query']} {_key(self['micro'])} {self[COST]}"

    @property
    def operators(self) -> list[Mapping[str, Any]]:
        """The parametric operators; none for a query."""
        return list(self["micro"]["operators"]) if self["micro"] else []

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the parametric operators."""
        return tuple(each["kind"] for each in self.operators)

    @property
    def most_in_flight(self) -> int:
        """Tuples between admission and sink, at most."""
        return int(self["credit"] * self["unit"])

    @property
    def room(self) -> tuple[int, int]:
        """Workers, and how many tuples can be in flight."""
        return int(self["workers"]), self.most_in_flight

    @property
    def bounded(self) -> bool:
        """Whether more than half of these are, on the average (by Little's law): the latency is the bound's doing."""
        rate, wait = (median(self.series(measure).values() or [0.0]) for measure in (throughput, latency))
        return 2 * rate * wait > self.most_in_flight

    @property
    def repeats(self) -> dict[int, Run]:
        """A run of each repeat."""
        return {run["repeat"]: run for run in self.runs}

    def series(self, measure: Measure) -> Series:
        """The measure by repeat, where it is a number above 0; of two runs in one repeat the median."""
        values: dict[int, list[float]] = {}
        for run in self.runs:
            value = measure(run)
            if value is not None and math.isfinite(value) and value > 0:
                values.setdefault(run["repeat"], []).append(value)
        return {repeat: median(values[repeat]) for repeat in sorted(values)}

    def facts(self) -> dict[str, Any]:
        """The configuration, and what tells parametric workloads apart, of the first operator; blank for a query."""
        first = {**self["micro"], **self.operators[0]} if self["micro"] else {}
        return {name: self[name] for name in ("query", *CONFIGURATION)} | {name: first.get(name) for name in _SPEC}


@dataclass(frozen=True)
class Selection:
    """Configurations of a document. ``cores``: how many the process was allowed, or, where the runs of the schemes are
    ``simulated``, the most that were. ``data_profile``: of the data, if they were generated."""

    schemes: tuple[ConfigPoint, ...]
    serial: tuple[ConfigPoint, ...]
    cores: int
    simulated: bool = False
    data_profile: str | None = None

    @property
    def points(self) -> list[ConfigPoint]:
        """The right ones of the paper's schemes."""
        return [point for point in self.schemes if point.right]

    @property
    def wrong(self) -> list[ConfigPoint]:
        """The wrong ones, and wrong serial ones that these points would be compared with."""
        workloads = {point.workload for point in self.schemes}
        return [
            *(point for point in self.schemes if not point.right),
            *(point for point in self.serial if not point.right and point.workload in workloads),
        ]

    @property
    def own(self) -> list[str]:
        """Own pipelines, ``module:function``, which are in none of the paper's figures and claims."""
        return sorted({point["query"] for point in (*self.schemes, *self.serial) if ":" in point["query"]})

    def require_others(self) -> None:
        """Raise StreambenchError where there is nothing but own pipelines."""
        if self.own and len(self.own) == len({point.workload for point in (*self.schemes, *self.serial)}):
            raise StreambenchError(
                f"the result holds own pipelines alone ({', '.join(self.own)}): the paper's figures and claims are of "
                "queries and parametric pipelines"
            )

    @property
    def modes(self) -> list[Mode]:
        """Unit sizes, fused and not, smallest first: the paper's case where it was measured."""
        modes = {Mode(point["unit"], point["fuse"], point[COST], point["rate"]) for point in self.schemes}
        return sorted(modes, key=lambda mode: (mode.unit, mode.fuse, OperatorCost.parse(mode.operator_cost).most, mode))

    def in_mode(self, mode: Mode) -> Selection:
        """Those that were run so."""
        return self.where(**mode._asdict())

    def at_rates(self, mode: Mode) -> Selection:
        """Those that were run so, at whatever rate; of parametric pipelines, whose costs are their own, all."""

        def costs_so(point: ConfigPoint) -> bool:
            return point["micro"] is not None or bool(point[COST] == mode.operator_cost)

        return self.where(costs_so, unit=mode.unit, fuse=mode.fuse)

    def where(self, keep: Callable[[ConfigPoint], bool] | None = None, **equal: Any) -> Selection:
        """Those that ``keep`` accepts and whose fields are ``equal`` to, or one of, the given values."""

        def accepts(point: ConfigPoint) -> bool:
            return all(_is(point[name], value) for name, value in equal.items()) and (keep is None or keep(point))

        return replace(self, schemes=tuple(point for point in self.schemes if accepts(point)))

    def within_cores(self) -> Selection:
        """Without those of more workers than cores, whose workers take turns."""
        return self.where(lambda point: bool(point["workers"] <= self.cores))

    def queries(self) -> Selection:
        return self.where(lambda point: point["micro"] is None, query=QUERIES)

    def pipelines(self, *kinds: str) -> Selection:
        """Parametric pipelines of operators of these kinds."""
        return self.where(lambda point: point.kinds == kinds)

    def least_bounded(self) -> Selection:
        """Of each workload those that let the most tuples be in flight."""
        most: dict[str, int] = {}
        for point in self.points:
            most[point.workload] = max(point.most_in_flight, most.get(point.workload, 0))
        return self.where(lambda point: point.most_in_flight == most.get(point.workload))

    def comparable(self, field: str) -> Selection:
        """Only at the numbers of workers, and of tuples in flight, at which a workload was measured with every value of
        ``field`` that it has."""
        counts: dict[str, dict[Any, set[tuple[int, int]]]] = {}
        for point in self.points:
            counts.setdefault(point.workload, {}).setdefault(point[field], set()).add(point.room)
        common = {workload: set.intersection(*settings.values()) for workload, settings in counts.items()}
        return self.where(lambda point: point.room in common.get(point.workload, ()))

    def best(self, *fields: str) -> list[ConfigPoint]:
        """For each workload and each value of ``fields`` the right configuration of the highest median throughput."""
        fastest: dict[tuple[Any, ...], tuple[float, ConfigPoint]] = {}
        for point in self.points:
            series = point.series(throughput)
            key = (point.workload, *(point[name] for name in fields))
            if series and (key not in fastest or median(series.values()) > fastest[key][0]):
                fastest[key] = (median(series.values()), point)
        return [point for _, point in fastest.values()]

    def serial_of(self, point: ConfigPoint) -> ConfigPoint | None:
        """The serial engine on the same workload: at the same unit size where measured, else at its fastest.

        None where it was not measured, or was wrong.
        """
        same = [each for each in self.serial if each.workload == point.workload]
        same = [each for each in same if each["unit"] == point["unit"]] or same
        known = [each for each in same if each.right and each.series(throughput)]
        if len(known) < len(same):
            return None
        return max(known, key=lambda each: median(each.series(throughput).values()), default=None)

    def beside_serial(self, points: Iterable[ConfigPoint]) -> list[ConfigPoint]:
        """These points with the serial engine's beside them."""
        return [replace(point, beside=self.serial_of(point)) for point in points]

    def serial_units(self, point: ConfigPoint) -> list[ConfigPoint]:
        """The right ones of the serial engine on the same workload, by unit size."""
        same = [each for each in self.serial if each.workload == point.workload and each.right]
        return sorted(same, key=lambda each: int(each["unit"]))

    def speed_up(self, point: ConfigPoint) -> Series:
        """Throughput over the serial engine's, by repeat; empty without a right serial run."""
        serial = self.serial_of(point)
        return {} if serial is None else divide(point.series(throughput), serial.series(throughput))


def select(document: Mapping[str, Any]) -> Selection:
    """All configurations of a sweep's document, measured or simulated.

    Raises StreambenchError for a document without a sweep's fields.
    """
    groups: dict[str, list[Run]] = {}
    for number, run in enumerate(document["runs"]):
        missing = [name for name in ("repeat", "throughput", *FIELDS) if name not in run]
        if missing:
            raise StreambenchError(
                f"run {number} of the result file lacks {', '.join(missing)}: "
                "measure again with `streambench bench sweep`"
            )
        query, cost = OperatorCost.of_workload(run["query"])
        groups.setdefault(_key({name: run[name] for name in FIELDS}), []).append(
            {**run, "query": query, COST: str(cost) if cost else ""}
        )
    points = [ConfigPoint(tuple(runs)) for runs in groups.values()]
    simulated = document["parameters"].get("simulated_cores")
    return Selection(
        tuple(point for point in points if point["engine"] == SCHEMES),
        tuple(point for point in points if point["engine"] == SERIAL),
        max(simulated) if simulated else len(document["machine"]["cpu"]["allowed"]),
        bool(simulated),
        document["parameters"].get("data_profile"),
    )


def throughput(run: Run) -> float | None:
    """Input tuples per second."""
    return _number(run["throughput"])


def latency(run: Run) -> float | None:
    """Average processing latency, seconds (paper 000, section 7)."""
    return _number((run.get("latency") or {}).get("mean"))


def operator_latency(run: Run) -> float | None:
    """Average latency from the first operator to the last one's outputs in order, without the sink (7.2.2), seconds."""
    return _number((run.get("latency_operators") or {}).get("mean"))


def stage_seconds(run: Run) -> dict[str, float]:
    """Worker seconds by stage, under the names of its operators."""
    return {" ".join(stage["operators"]): float(stage["seconds"]) for stage in run.get("profile") or []}


def cost_of_first(run: Run) -> float | None:
    """Worker seconds per input tuple of the stage with the first operator after the source.

    The time that its workers wait while they put outputs in order is in it (paper 000, section 7.3.1).
    """
    place = 0
    for stage in run.get("profile") or []:
        place += len(stage["operators"])
        if place > 1:  # the source is operator 0
            return float(stage["seconds"]) / stage["tuples_in"] if stage["tuples_in"] else None
    return None


def interval(series: Series) -> Interval | None:
    """The median over the repeats with its interval; None without any."""
    return statistics.summary(list(series.values())) if series else None


def ratio(above: Series, below: Series) -> Ratio | None:
    """The median of the ratios paired by repeat with its interval; None without a common repeat."""
    pairs = sorted(above.keys() & below.keys())
    if not pairs:
        return None
    return statistics.paired_ratio([above[pair] for pair in pairs], [below[pair] for pair in pairs])


def describe(points: Sequence[ConfigPoint]) -> str:
    """Configurations in a few words each, for captions."""
    parts = []
    for point in points:
        how = (
            "serial"
            if point["engine"] == SERIAL
            else ", ".join(str(point[name]) for name in ("heuristic", "reorder", "partitioning"))
            + f", {point['workers']} workers"
        )
        parts.append(f"{point['query']} ({how})")
    return "; ".join(dict.fromkeys(parts))


def _is(value: Any, choice: Any) -> bool:
    return value in choice if isinstance(choice, tuple) else bool(value == choice)


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)

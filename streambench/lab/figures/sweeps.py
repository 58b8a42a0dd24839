"""Paper 000's figures 8a to 14: what each shows of a sweep."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

from streambench.execution.options import HEURISTICS, PARTITIONINGS, REORDERS
from streambench.lab.figures.chart import LOG, NAMES, row
from streambench.lab.figures.lines import seconds
from streambench.lab.figures.points import Measure, Series, divide
from streambench.lab.figures.recipe import Axis, Drawn, Mark, Recipe, level, measured
from streambench.lab.figures.selection import (
    QUERIES,
    ConfigPoint,
    Selection,
    cost_of_first,
    latency,
    operator_latency,
    throughput,
)
from streambench.lab.record.run import Row
from streambench.lab.record.summary import SERIAL
from streambench.lab.record.sweep_summary import title

FEWEST_RANGES = 3
LIGHT_US = 100  # below: the paper's light operator takes tens of µs
HIGH_SELECTIVITY = 10  # from here on; the paper's is 50
QUERY, PARTITIONING, REORDER = map(itemgetter, ("query", "partitioning", "reorder"))
WORKERS = Axis("workers", itemgetter("workers"))
SPEED_UP = "speed-up over serial"


@dataclass(frozen=True)
class SweepFigure(Recipe):
    """A recipe of a selection. ``select``: the part of a sweep that it is of."""

    select: Callable[[Selection], Selection] = Selection.queries


def sweep_for(name: str, *, simulated: bool = False) -> str:
    """The sweep that measures or simulates a figure (8a and 8b belong to one)."""
    return (
        f"`streambench bench sweep {'--simulated ' if simulated else ''}--preset paper --figures {name.rstrip('ab')}`"
    )


def of_heuristics(selection: Selection) -> Selection:
    """The queries, and parametric pipelines that have several; non-blocking, hybrid, with as much in flight as was."""
    by_workload: dict[str, set[str]] = {}
    for point in selection.points:
        by_workload.setdefault(point.workload, set()).add(point["heuristic"])
    several = {name for name, heuristics in by_workload.items() if len(heuristics) > 1}
    return selection.where(
        lambda point: point["query"] in QUERIES if point["micro"] is None else point.workload in several,
        reorder="nonblocking",
        partitioning="hybrid",
    ).least_bounded()


def of_skew(selection: Selection) -> Selection:
    """A keyed operator whose keys are N(0, σ) of the key space, cut into equal ranges; non-blocking, CT."""
    return selection.pipelines("ps").where(
        lambda point: point["micro"]["keys"] == "normal", partition_by="range", reorder="nonblocking", heuristic="ct"
    )


def of_uniform_keys(selection: Selection) -> Selection:
    """A keyed operator under uniform keys; non-blocking, CT."""
    return selection.pipelines("ps").where(
        lambda point: point["micro"]["keys"] == "uniform", reorder="nonblocking", heuristic="ct"
    )


def of_partitionings(selection: Selection) -> Selection:
    """The queries; non-blocking, CT."""
    return selection.queries().where(heuristic="ct", reorder="nonblocking")


def of_reorders(selection: Selection) -> Selection:
    """The queries; hybrid, CT."""
    return selection.queries().where(heuristic="ct", partitioning="hybrid")


def of_light_operators(selection: Selection) -> Selection:
    """A stateless operator of less than 100 µs with one output per input; hybrid, CT."""
    return selection.pipelines("sl").where(
        lambda point: point.operators[0]["cost_us"] < LIGHT_US and point.operators[0]["selectivity"] <= 1,
        heuristic="ct",
        partitioning="hybrid",
    )


def of_many_outputs(selection: Selection) -> Selection:
    """A stateless operator with 10 or more outputs per input, then a keyed one; hybrid, CT."""
    return selection.pipelines("sl", "ps").where(
        lambda point: point.operators[0]["selectivity"] >= HIGH_SELECTIVITY, heuristic="ct", partitioning="hybrid"
    )


def apart_from_sigma(point: ConfigPoint) -> str:
    """What must be equal for two workloads to differ by their skew alone."""
    same = {name: value for name, value in point["micro"].items() if name not in ("sigma", "seed", "tuples")}
    return json.dumps(same, sort_keys=True)


def sigma(point: ConfigPoint) -> float:
    return float(point["micro"]["sigma"])


def cost(point: ConfigPoint) -> str:
    """The first operator's cost in words."""
    return seconds(point.operators[0]["cost_us"] * 1e-6)


def can_be_uneven(point: ConfigPoint) -> bool:
    """Can skew make one partition larger than others? Not of two: both halves of N(0, sigma) are equal."""
    return bool(point["partitions"] >= FEWEST_RANGES)


def own_cost(point: ConfigPoint) -> float:
    """What the operator takes for a unit by itself, seconds: a tuple's latency counts its whole unit."""
    return float(point.operators[0]["cost_us"] * point["unit"] / 1e6)


def workload(point: ConfigPoint) -> str:
    """The first operator in a few words; the whole pipeline where the others are not usual."""
    first, *others = point.operators
    many = first["selectivity"]
    if any((each["cost_us"], each["selectivity"]) != (first["cost_us"], 1) for each in others):
        return name_of(point)
    return cost(point) + (f", selectivity {many:g}" if many != 1 else "")


def routed(point: ConfigPoint) -> str:
    """The first operator, and how its outputs get to partitions."""
    return f"{workload(point)}, routed {point['routing'].replace('-', ' ')}"


def speed_up(point: ConfigPoint) -> Series:
    """Throughput over the serial engine's beside it, by repeat."""
    return divide(point.series(throughput), point.beside.series(throughput)) if point.beside else {}


def in_words(numbers: Sequence[int]) -> str:
    """``1, 2 and 4``."""
    *before, last = map(str, numbers)
    return f"{', '.join(before)} and {last}" if before else last


def serial_level(drawn: Drawn) -> Iterable[Row]:
    """A speed-up of 1 in each panel."""
    return [level(panel, "serial", None, 1.0) for panel in dict.fromkeys(each["panel"] for each in drawn.rows)]


def name_of(point: ConfigPoint) -> str:
    """A query's name, or a parametric pipeline in a few words."""
    return title({name: point[name] for name in ("query", "micro")})


def _by_query(points: Sequence[ConfigPoint]) -> list[ConfigPoint]:
    names = (*QUERIES, *sorted({name_of(point) for point in points}))
    return sorted(points, key=lambda point: names.index(name_of(point)))


def _beside_heuristics(measure: Measure, drawn: Drawn) -> list[Row]:
    """The serial engine on each query, by unit size."""
    first = {name_of(point): point for point in reversed(drawn.points)}
    units = [unit for point in first.values() for unit in drawn.source.serial_units(point)]
    drawn_rows = [
        row(name_of(unit), f"serial, unit {unit['unit']}", None, unit.series(measure), unit) for unit in units
    ]
    return [each for each in drawn_rows if each is not None]


def _title(point: ConfigPoint) -> str:
    return name_of(point).upper() if point["micro"] is None else name_of(point)


def _heuristics(name: str, measure: Measure, mark: Callable[..., Mark], more: str = "") -> SweepFigure:
    def text(drawn: Drawn) -> str:
        """Which unit sizes the grey lines have, and whether one is missing that would compare like with like."""
        units = {each["unit"] for each in _beside_heuristics(measure, drawn) if each["engine"] == SERIAL}
        grey = f"Grey: the serial engine in units of {' and of '.join(map(str, sorted(units)))}."
        if not units:
            grey = "The serial engine was not measured."
        elif (unit := drawn.points[0]["unit"]) not in units:
            grey += f" In units of {unit}, as the schemes, this sweep did not measure it."
        return f"Scheduling heuristics, with non-blocking reordering and hybrid partitioning. {grey}{more}"

    return SweepFigure(
        name,
        "the queries under several heuristics, with non-blocking reordering and hybrid partitioning",
        WORKERS,
        lambda selection: _by_query(selection.best("workers", "heuristic")),
        (mark(panel=name_of, line=itemgetter("heuristic"), title=_title),),
        text,
        HEURISTICS,
        partial(_beside_heuristics, measure),
        select=of_heuristics,
    )


def _uneven(selection: Selection) -> list[ConfigPoint]:
    points = selection.where(can_be_uneven).best("workers", "partitioning")
    return selection.beside_serial(sorted(points, key=lambda point: PARTITIONINGS.index(point["partitioning"])))


def _sigmas(points: Sequence[ConfigPoint]) -> Callable[[ConfigPoint], str]:
    """What a point's line is called: with the operator's cost, where there are several."""
    several = len({apart_from_sigma(point) for point in points}) > 1
    return lambda point: f"sigma {sigma(point):g}" + (f", {cost(point)}" if several else "")


def _sigma_lines(drawn: Drawn) -> list[str]:
    points = sorted(drawn.points, key=lambda point: (sigma(point), point.operators[0]["cost_us"]))
    return list(dict.fromkeys(map(_sigmas(points), points)))


def _skew(drawn: Drawn) -> str:
    """Of what, and what is not drawn since its ranges hold equally many keys at every sigma."""
    workers_by_scheme: dict[str, set[int]] = {}
    for point in drawn.source.where(lambda point: not can_be_uneven(point)).points:
        workers_by_scheme.setdefault(point["partitioning"], set()).add(point["workers"])
    even = ", ".join(
        f"{scheme} with {in_words(sorted(workers))} workers" for scheme, workers in sorted(workers_by_scheme.items())
    )
    costs = ", ".join(dict.fromkeys(map(cost, drawn.source.where(can_be_uneven).best("workers", "partitioning"))))
    return f"A keyed operator of {costs}, its keys N(0, sigma) and partitioned by range: small sigma, much skew." + (
        f" Not drawn: {even}; with one range or two nothing is uneven, whatever sigma, since the two halves "
        "of a normal distribution are equal."
        if even
        else ""
    )


def _at_most_workers(selection: Selection) -> list[ConfigPoint]:
    most = max(point["workers"] for point in selection.points)
    return selection.where(workers=most).best("partitioning")


def _unit(drawn: Drawn) -> str:
    unit = drawn.points[0]["unit"]
    return "a tuple" if unit == 1 else f"a unit of {unit} tuples"


def _peaks(name: str, needs: str, field: str, lines: Sequence[str], marks: Sequence[Mark], text: str) -> SweepFigure:
    """Each query where it is fastest, a mark for each scheme."""

    def caption(drawn: Drawn) -> str:
        compared = sorted({point["workers"] for point in drawn.source.comparable(field).points})
        return (
            f"{text}, each at its peak among the numbers of workers that all schemes were measured with. Those are "
            f"{in_words(compared)} worker{'' if compared == [1] else 's'}; the number beside a mark is that of its "
            "peak."
        )

    select = of_partitionings if field == "partitioning" else of_reorders
    of = lambda selection: _by_query(selection.comparable(field).best(field))  # noqa: E731
    axis = Axis("query", QUERY, NAMES)
    return SweepFigure(name, needs, axis, of, marks, caption, lines, beside="workers", select=select)


def _reordering(
    name: str, needs: str, mark: Mark, more: str, select: Callable[[Selection], Selection], *fields: str
) -> SweepFigure:
    """Over workers, a line for each reordering scheme (paper 000, sections 7.3.1 and 7.3.2), panels by ``fields``."""

    def text(drawn: Drawn) -> str:
        one = len(drawn.source.points[0].kinds) == 1
        what = "A light stateless operator" if one else "A stateless operator of many outputs, then a keyed one"
        fused = " and of the source, which is fused with it" if drawn.rows[0]["fuse"] else ""
        return f"{what}, under CT and hybrid partitioning. {more.format(fused)}"

    return SweepFigure(
        name,
        needs,
        WORKERS,
        lambda selection: selection.beside_serial(
            sorted(selection.best("workers", "reorder", *fields), key=routed if fields else workload)
        ),
        (mark,),
        text,
        REORDERS,
        serial_level if mark.y is speed_up else lambda drawn: (),
        select=select,
    )


def _at_cost(drawn: Drawn) -> str:
    return (
        f"A keyed operator under uniform keys, {drawn.points[0]['workers']} workers; from its start on {_unit(drawn)} "
        "to its outputs' exit."
    )


def _own_costs(drawn: Drawn) -> Iterable[Row]:
    return [level("", "the operator's own cost", at, at) for at in sorted({each["x"] for each in drawn.rows})]


def _speed_ups(points: Sequence[ConfigPoint]) -> Sequence[Mark]:
    return (Mark(speed_up, SPEED_UP, PARTITIONING, _sigmas(points)),)


OWN_COST = Axis(lambda drawn: f"the operator's cost of {_unit(drawn)}", own_cost, LOG, seconds)
OPERATOR_LATENCY = Mark(measured(operator_latency), "mean processing latency", "", PARTITIONING, log=True, unit=seconds)
THROUGHPUT = partial(Mark, measured(throughput), "throughput (tuples/s)")
LATENCY = partial(Mark, measured(latency), "mean latency", log=True, unit=seconds)
PEAK = partial(THROUGHPUT, "throughput", title="peak throughput", log=True)
PEAKS = (PEAK(line=PARTITIONING), LATENCY("latency", PARTITIONING, "latency at that point"))
GAIN = partial(Mark, speed_up, SPEED_UP, line=REORDER)
COST = partial(Mark, measured(cost_of_first), "cost per tuple", line=REORDER, unit=seconds)
OF_GAIN = "Speed-up of the whole pipeline."
OF_COST = "Worker time per input tuple of the first operator{}; waiting to put outputs in order is in it."
ROUTED = (
    " Routed early, outputs are hashed by the worker that has made them; routed in order, as the paper does it, behind "
    "the reorder buffer, one worker at a time."
)
SATURATED = " Processing latency of a saturated pipeline."
SKEW = "a keyed operator under normally distributed keys partitioned by range, and its serial runs"
COSTS = "a keyed operator of several costs under uniform keys"
UNDER_CT = "the queries under CT with {}".format
LIGHT = "a stateless operator of less than 100 µs, and its serial runs"
SELECTIVE = "a stateless operator of many outputs before a keyed one, and its serial runs"
OF_PARTITIONINGS = "Marks are partitioning schemes, with CT and non-blocking reordering"
OF_REORDERS = "Marks are reordering schemes, with CT and hybrid partitioning"
FIGURES = (
    _heuristics("8a", throughput, THROUGHPUT),
    _heuristics("8b", latency, LATENCY, SATURATED),
    SweepFigure("9", SKEW, WORKERS, _uneven, _speed_ups, _skew, _sigma_lines, serial_level, select=of_skew),
    SweepFigure(
        "10",
        COSTS,
        OWN_COST,
        _at_most_workers,
        (OPERATOR_LATENCY,),
        _at_cost,
        PARTITIONINGS,
        _own_costs,
        select=of_uniform_keys,
    ),
    _peaks("11", UNDER_CT("non-blocking reordering"), "partitioning", PARTITIONINGS, PEAKS, OF_PARTITIONINGS),
    _reordering("12a", LIGHT, GAIN(workload), OF_GAIN, of_light_operators),
    _reordering("12b", LIGHT, COST(workload), OF_COST, of_light_operators),
    _reordering("13a", SELECTIVE, GAIN(routed), OF_GAIN + ROUTED, of_many_outputs, "routing"),
    _reordering("13b", SELECTIVE, COST(routed), OF_COST + ROUTED, of_many_outputs, "routing"),
    _peaks("14", UNDER_CT("hybrid partitioning"), "reorder", REORDERS, (PEAK(line=REORDER),), OF_REORDERS),
)

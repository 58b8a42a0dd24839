"""Paper 002's figures: how long designs take, where their time goes, how long queues are; and one of all designs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from statistics import median

from streambench.lab.figures.lines import seconds as in_seconds
from streambench.lab.figures.points import Document, Measure, Point, seconds, times_as_fast, values_of
from streambench.lab.figures.recipe import Drawn, Mark, Paper, Recipe, Told, measured
from streambench.lab.figures.topk_accuracy import FIGURES_OF_ACCURACY
from streambench.lab.figures.topk_points import (
    ALPHA,
    DESIGN,
    STREAMS,
    THREADS,
    TUNED,
    Points,
    at,
    at_alpha,
    by_threads,
    designs_of,
    pairs,
    points,
    saturated,
    skewed,
    span,
    updates,
)
from streambench.lab.record.topk_summary import KIND, rows, shares, wrong

__all__ = ["CHARTS", "KIND", "PAPER", "caption"]

COOPERATIVE, SHARED, BLOCKING, INDEPENDENT = "cooperative", "shared", "shared-blocking", "independent"
IN_FIGURE_8 = (0.5, 1.0, 1.5, 2.5)
QUEUE, MERGE = "queue", "merge"
SYNCHRONISATION = ("element_synchronisation", "bucket_synchronisation")
AVERAGE, LARGEST, DELEGATED = "average queue", "largest queue", "delegated share"
OWN_RUNS = "Operations are timed in runs of their own."


def share(*operations: str) -> Measure:
    """What part of all time these operations take together, in per cent."""
    return lambda run: sum(shares(run["profile"]).get(each, 0.0) for each in operations)


def statistic(name: str, factor: float = 1.0) -> Measure:
    return lambda run: factor * float(run["statistics"][name])


def _span(data: Iterable[Point], measure: Measure) -> str:
    return span([each.middle(measure) for each in data])


def _of_all(lines: Sequence[str], data: list[Point]) -> list[Point]:
    """The points where each of the designs has some, besides others, else none."""
    return data if {point["design"] for point in data} >= set(lines) else []


def _per_design(data: Points, in_short: Callable[[Points], tuple[str, Sequence[float]]]) -> str:
    """``in_short`` of each design that has values, in words."""
    each = {
        design: in_short([point for point in data if point["design"] == design])
        for design in (COOPERATIVE, *CONTENDING)
    }
    return ", ".join(text.format(f"{design}", span(values)) for design, (text, values) in each.items() if values)


def _grown(drawn: Drawn) -> str:
    """By how much time grows from the fewest streams to the most, over all α."""
    least, most = (pick(each["threads"] for each in drawn.points) for pick in (min, max))

    def growth(own: Points) -> tuple[str, Sequence[float]]:
        few, many = ({each["alpha"]: each for each in own if each["threads"] == n} for n in (least, most))
        both = [alpha for alpha in few if alpha in many and least < most]
        return "{} {} times as long", [many[alpha].middle(seconds) / few[alpha].middle(seconds) for alpha in both]

    growths = _per_design(drawn.points, growth)
    return (
        "Execution time, each stream as long as the others, a thread for each. The paper: cooperation takes less time, "
        "and with more streams it takes longer by less than the shared design."
        + (f" Here, with {most} streams against {least}: {growths}." if growths else "")
    )


def _slower(drawn: Drawn) -> str:
    """What the greatest probability makes of execution times."""
    failing = skewed(points(drawn.source, COOPERATIVE, *CONTENDING))
    most = max(point["failing"] for point in failing)

    def slowdown(own: Points) -> tuple[str, Sequence[float]]:
        without = {(each["threads"], each["alpha"]): each for each in own if each["failing"] == 0}
        return "{} takes {} times as long", [
            each.middle(seconds) / without[each["threads"], each["alpha"]].middle(seconds)
            for each in own
            if each["failing"] == most and (each["threads"], each["alpha"]) in without
        ]

    slowdowns = _per_design(failing, slowdown)
    return (
        f"Execution time where a read finds no item with some probability, and is tried again{_later(drawn)}. The "
        "paper: the more "
        "reads fail the closer the two designs are; cooperation takes longer, the shared design hardly, as it is "
        "relieved." + (f" Here, where {100 * most:g} % fail: {slowdowns}." if slowdowns else "")
    )


def _later(drawn: Drawn) -> str:
    wait = drawn.source["parameters"].get("wait")
    return f" {wait * 1e6:g} µs later" if wait else " at once"


def _gained(drawn: Drawn) -> str:
    """What auto-tuning gains where there is little skew, and what it costs where there is much."""
    fast = saturated(drawn.source)
    costs = [times_as_fast(point) for point in pairs(fast, COOPERATIVE, TUNED) if point["alpha"] >= 2]
    gains = []
    for other in CONTENDING:
        even = [times_as_fast(point) for point in pairs(fast, TUNED, other) if point["alpha"] <= 1]
        if even:
            gains.append(f"{span([median(each.values()) for each in even])} times as fast as {other} at α up to 1")
    if costs:
        gains.append(f"a cost of {span([100 * (median(each.values()) - 1) for each in costs])} % at α from 2 up")
    return (
        "Execution time of cooperation with auto-tuning, and of the shared design. The paper: about twice as fast at "
        "α up to 1; what auto-tuning costs at higher α is about 5 % at most."
        + (f" Here {'; '.join(gains)}." if gains else "")
    )


def _best(drawn: Drawn) -> str:
    best = max(drawn.rows, key=lambda each: float(each["y"]))
    every = {point["query_every"] for point in drawn.points} - {0}
    queried = f" Independent structures are merged every {max(every):,} items." if every else ""
    return (
        f"Updates per second of all designs, a thread for each stream.{queried} The paper has no such figure. Here up "
        f"to {best['y'] * 1e-6:.3g} million, of {best['design']} at α {best['alpha']:g} with {best['threads']} streams."
    )


def _profiled(design: str, document: Document) -> list[Point]:
    """The paper has the auto-tuned one at all α, the others from 1.5 up; beside the shared one is that which blocks."""
    profiles = points(document, *(CONTENDING if design == SHARED else (design,)), instrumented=True)
    return _of_all((design,), profiles if design == TUNED else skewed(profiles))


def _of_profile(point: Point) -> str:
    return at_alpha(point) + (f", {BLOCKING}" if point["design"] == BLOCKING else "")


def _words(operation: str) -> str:
    return operation.replace("_", " ")


def _operations(profiles: Points) -> list[Mark]:
    """A line for each operation that takes time."""
    named = dict.fromkeys(name for each in profiles for name in each["profile"])
    return [
        Mark(measured(share(name)), "% of all time", _of_profile, _words(name))
        for name in named
        if any(max(each.series(share(name)).values()) > 0 for each in profiles)
    ]


def _queue_lengths(profiles: Points) -> list[Mark]:
    names = (AVERAGE, LARGEST)
    log = all(value > 0 for each in profiles for name in names for value in each.series(statistic(name)).values())
    return [Mark(measured(statistic(name)), "requests", name, at_alpha, log=log) for name in names]


def _independent(drawn: Drawn) -> str:
    ends = [pick(each["threads"] for each in drawn.points) for pick in (min, max)]
    few, many = (
        f"{_span((each for each in drawn.points if each['threads'] == count), share(MERGE))} % with {count}"
        for count in ends
    )
    return (
        "Where the time of independent structures goes, merged hierarchically to answer a query every "
        f"{drawn.points[0]['query_every']:,} items. The paper: with more threads merging makes the design inefficient. "
        f"Here merging takes {few} streams, {many}."
    )


def _cooperative(drawn: Drawn) -> str:
    ends = [pick(each["alpha"] for each in drawn.points) for pick in (min, max)]
    even, uneven = (
        f"{_span((each for each in drawn.points if each['alpha'] == alpha), share(QUEUE))} % at {at(alpha)}"
        for alpha in ends
    )
    tuned = "with auto-tuning" if drawn.points[0]["design"] == TUNED else "without auto-tuning"
    return (
        f"Where the time of cooperation goes, {tuned}. The paper: very little to synchronisation of elements and "
        f"buckets, much to queues, more at smaller α. Here {_span(drawn.points, share(*SYNCHRONISATION))} % to "
        f"synchronisation; to queues {even}, {uneven}."
    )


def _shared(drawn: Drawn) -> str:
    shares = [
        f"{_span(own, share(*SYNCHRONISATION))} % of {design}"
        for design in CONTENDING
        if (own := [each for each in drawn.points if each["design"] == design])
    ]
    return (
        "Where the time of the shared design goes. The paper: most of it to waiting for an element or a bucket. "
        f"Here {', '.join(shares)}."
    )


def _queues(claim: str, drawn: Drawn) -> str:
    return (
        "Requests in a bucket's queue, looked at from time to time: their average, and the most that were seen. "
        f"{claim} Here {_span(drawn.points, statistic(AVERAGE))} on the average, up to "
        f"{max(each.middle(statistic(LARGEST)) for each in drawn.points):.0f}."
    )


def _delegated(drawn: Drawn) -> str:
    shares = "; ".join(
        f"{at(alpha)} {_span((each for each in drawn.points if each['alpha'] == alpha), statistic(DELEGATED, 100))} %"
        for alpha in values_of(drawn.points, "alpha")
    )
    return (
        "Requests that are delegated in the hash table, as another thread has the element. The paper: more with "
        f"more threads, and with more skew. Here {shares}."
    )


def _profile(
    name: str, design: str, text: Told, marks: Sequence[Mark] | Callable[[Points], Sequence[Mark]] = _operations
) -> Recipe:
    """Over streams, of runs whose operations are timed: what ``marks`` say, or the time by operation, a panel an α."""
    needs = f"profiles of the design {design}" + ("" if design == TUNED else " at α from 1.5 up")
    return Recipe(name, needs, STREAMS, partial(_profiled, design), marks, text, note=OWN_RUNS)


def _of_figure_5(document: Document) -> list[Point]:
    return _of_all(EQUAL, skewed(saturated(document, *EQUAL, BLOCKING)))


def _of_figure_6(document: Document) -> list[Point]:
    data = skewed(saturated(document))
    cooperative = [point for other in CONTENDING for point in pairs(data, COOPERATIVE, other)]
    return sorted(cooperative, key=itemgetter("threads", "alpha"))


def _of_figure_7(document: Document) -> list[Point]:
    return _of_all(EQUAL, [point for point in skewed(points(document, *EQUAL, BLOCKING)) if point["failing"] > 0])


def _of_figure_8(document: Document) -> list[Point]:
    data = saturated(document, TUNED, *CONTENDING)
    return _of_all((TUNED, SHARED), [point for point in data if point["alpha"] in IN_FIGURE_8])


def _gains(drawn: Drawn) -> str:
    gains = [
        f"{span(values)} times as fast as {other}"
        for other in CONTENDING
        if (values := [each["y"] for each in drawn.rows if each["panel"] == f"{COOPERATIVE} against {other}"])
    ]
    return (
        "How many times as fast as the shared design cooperation is: execution times, divided repeat by repeat. "
        f"The paper, with locks that block: 2 to 5.5 times, on 4 cores. Here {', '.join(gains)}."
    )


def _of_streams_and_epsilon(document: Document) -> str:
    epsilons = values_of(document["runs"], "epsilon")
    several = " where it is not the axis" if len(epsilons) > 1 else ""
    return f"{document['parameters']['items']:,} items a stream, ε = {epsilons[0]:g}{several}."


def _of_streams(point: Point) -> str:
    return f"{point['threads']} streams"


def _against(point: Point) -> str:
    assert point.beside is not None
    return f"{point['design']} against {point.beside['design']}"


def _failing(point: Point) -> str:
    return f"{at_alpha(point)}, {100 * point['failing']:g} % fail"


CONTENDING = (SHARED, BLOCKING)
EQUAL = (COOPERATIVE, SHARED)
TIME = Mark(measured(seconds), "execution time", at_alpha, DESIGN, unit=in_seconds)
GAIN = Mark(times_as_fast, "speed-up", _against, _of_streams)
UPDATES = Mark(measured(updates), "updates/s", THREADS, DESIGN, _of_streams, log=True)
DELEGATED_SHARE = Mark(
    measured(statistic(DELEGATED, 100)), "% of all requests", "delegated", at_alpha, "delegated in the hash table"
)
QUEUE_CLAIMS: Mapping[str, str] = {
    COOPERATIVE: "The paper, at α from 1.5 up: tens on the average, hundreds at most, most of them at α 1.5.",
    TUNED: "The paper: auto-tuning keeps them short at α 0.5 and 1, too, where a thread holds back at 500.",
}
BOTH = "runs of both the designs cooperative and shared at α from 1.5 up"
WITH_TUNING = "runs of both the designs auto-tuned and shared at α 0.5, 1, 1.5 or 2.5"
FIGURES = (
    _profile("1", INDEPENDENT, _independent),
    _profile("2", SHARED, _shared),
    Recipe("5", BOTH, STREAMS, _of_figure_5, (TIME,), _grown, (*EQUAL, BLOCKING)),
    Recipe("6", BOTH, ALPHA, _of_figure_6, (GAIN,), _gains),
    Recipe(
        "7",
        f"{BOTH} where reads fail",
        STREAMS,
        _of_figure_7,
        (replace(TIME, panel=_failing),),
        _slower,
        (*EQUAL, BLOCKING),
    ),
    Recipe("8", WITH_TUNING, STREAMS, _of_figure_8, (TIME,), _gained, (TUNED, *CONTENDING)),
    *(
        figure
        for number, design in (("9", COOPERATIVE), ("10", TUNED))
        for figure in (
            _profile(f"{number}a", design, _cooperative),
            _profile(f"{number}b", design, partial(_queues, QUEUE_CLAIMS[design]), _queue_lengths),
            _profile(f"{number}c", design, _delegated, (DELEGATED_SHARE,)),
        )
    ),
    Recipe("updates", "runs", ALPHA, by_threads, (UPDATES,), _best, designs_of, also=None),
    *FIGURES_OF_ACCURACY,
)
PAPER = Paper(
    "002",
    KIND,
    FIGURES,
    "every run's answer was checked against exact counts",
    lambda document: wrong(rows(document["runs"])),
    _of_streams_and_epsilon,
)
CHARTS, caption = PAPER.recipes, PAPER.caption

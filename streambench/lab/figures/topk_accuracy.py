"""Memory and accuracy of summaries over ε, α and streams, answers while they count, and what a cooperative design's
threshold does: paper 002 tells of these in words only."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

from streambench.lab.figures.chart import LOG
from streambench.lab.figures.lines import seconds as in_seconds
from streambench.lab.figures.points import Document, Measure, Point, values_of
from streambench.lab.figures.recipe import Axis, Drawn, Mark, Recipe, measured
from streambench.lab.figures.topk_points import (
    ALPHA,
    DESIGN,
    STREAMS,
    TUNED,
    Points,
    at_alpha,
    designs_of,
    saturated,
    span,
    updates,
)
from streambench.lab.record.run import Plain as Run
from streambench.lab.record.summary import duration, human
from streambench.lab.record.topk_summary import PHI, SOURCES_IN_WORDS

EPSILON = Axis("ε", itemgetter("epsilon"), LOG, "{:g}".format)
RHO = Axis("ρ: requests in a queue above which a thread sleeps", itemgetter("rho"), LOG)
MEMORY, PRECISION, RECALL, ERROR = "memory", "precision", "recall", "average relative error"


def _known(name: str, factor: float = 1.0) -> Measure:
    """None where a run has no such value: no item is frequent, or the result is older than the measure."""

    def value(run: Run) -> float | None:
        known = run.get(name)
        return None if known is None else factor * float(known)

    return value


def _quantile(name: str, quantile: str) -> Measure:
    """None where nothing was asked."""

    def value(run: Run) -> float | None:
        known = run.get(name)
        return None if known is None else float(known[quantile])

    return value


def _bytes(size: float) -> str:
    return f"{human(size)}B"


def _panel(name: str) -> Callable[[Point], str]:
    """Where streams are not of Zipf's law, their source besides."""
    return lambda point: name if point["alpha"] is not None else f"{name}, {point['source']}"


MARKS = (
    Mark(measured(_known("summary_bytes")), "bytes of a summary", _panel(MEMORY), DESIGN, log=True, unit=_bytes),
    Mark(measured(_known("precision", 100)), "% of those reported", _panel(PRECISION), DESIGN),
    Mark(measured(_known("recall", 100)), "% of the frequent items", _panel(RECALL), DESIGN),
    Mark(measured(_known("relative_error", 100)), "% of an item's count", _panel(ERROR), DESIGN),
)


QUERIES = (
    *(
        Mark(
            measured(_quantile("query_latency", each)),
            "time of a query",
            _panel(f"latency, {each}"),
            DESIGN,
            log=True,
            unit=in_seconds,
        )
        for each in ("p50", "p99")
    ),
    *(
        Mark(measured(_quantile("stale_items", each)), "items not in an answer", _panel(f"staleness, {each}"), DESIGN)
        for each in ("p50", "p99")
    ),
)


def _most_streams(data: Points) -> Points:
    most = max((point["threads"] for point in data), default=0)
    return [point for point in data if point["threads"] == most]


def _least_skewed(data: Points) -> Points:
    """Of those where items are frequent: of the least α from 1 up, or else of the greatest."""
    alphas = sorted(values_of(data, "alpha"))
    alpha = next((each for each in alphas if each >= 1), alphas[-1] if alphas else None)
    return [point for point in data if point["alpha"] == alpha]


def _several(data: Points, name: str) -> Points:
    return data if len(values_of(data, name)) > 1 else []


def _over_epsilon(document: Document) -> Points:
    law = _least_skewed(_most_streams(saturated(document, over="epsilon")))
    others = _most_streams(saturated(document, over="epsilon", zipf=False))
    return [*_several(law, "epsilon"), *_several(others, "epsilon")]


def _over_streams(document: Document) -> Points:
    return _by_threads([*_least_skewed(saturated(document)), *saturated(document, zipf=False)])


def _by_threads(data: Points) -> Points:
    return sorted(data, key=itemgetter("threads"))


def _over_rho(document: Document) -> Points:
    return _several(_most_streams(saturated(document, TUNED, over="rho")), "rho")


def _accuracy(drawn: Drawn) -> str:
    def ends(panel: str) -> str:
        values = [float(each["y"]) for each in drawn.rows if each["panel"].startswith(panel)]
        return f"{span(values)} %" if values else "that of nothing"

    return (
        f"Bytes that a summary holds after the run; of the query for items above {100 * PHI:g} % of all, the share of "
        "those reported that are frequent, the share of the frequent that are reported, and by how much the estimates "
        f"of these are off. The paper has no such figure. Here precision is {ends(PRECISION)}, recall {ends(RECALL)}, "
        f"the error {ends(ERROR)}, over {_settings(drawn.points)}."
    )


def _settings(data: Points) -> str:
    """``α 1, items of clicks, 8 streams, ε 0.01 to 1e-06``."""

    def values(name: str) -> str:
        every = sorted(each for each in values_of(data, name) if each is not None)
        return f"{every[0]:g}" if len(every) == 1 else f"{every[0]:g} to {every[-1]:g}"

    laws = [f"α {values('alpha')}"] if any(point["alpha"] is not None for point in data) else []
    others = [SOURCES_IN_WORDS[each] for each in values_of((p for p in data if p["alpha"] is None), "source")]
    return ", ".join([*laws, *others, f"{values('threads')} streams", f"ε {values('epsilon')}"])


def _queried(document: Document) -> Points:
    law = [point for point in saturated(document, over="query_every") if point["query_every"] > 0]
    others = [point for point in saturated(document, over="query_every", zipf=False) if point["query_every"] > 0]
    return _by_threads([*_least_skewed(law), *others])


def _queries(drawn: Drawn) -> str:
    halves = [each for each in drawn.rows if each["panel"].startswith("latency, p50")]
    slowest = max(halves, key=lambda each: float(each["y"]))
    return (
        f"Queries while all threads count, one every {drawn.points[0]['query_every']:,} items, over "
        f"{_settings(drawn.points)}: how long an answer takes, and how many of the items that updates had counted "
        f"when it was there are not in it. The paper has no such figure. Here half of all answers take up to "
        f"{duration(float(slowest['y']))}, of {slowest['line']} with {slowest['threads']} streams."
    )


def _tuning(drawn: Drawn) -> str:
    best = max(drawn.rows, key=lambda each: float(each["y"]))
    return (
        f"Updates per second of cooperation whose threads sleep for {in_seconds(drawn.points[0]['sleep'])} above the "
        "threshold ρ. The paper has 500, and no such figure. "
        f"Here with {best['threads']} streams up to {best['y'] * 1e-6:.3g} million, at {best['line']} and "
        f"ρ {best['x']:g}."
    )


def _sources(drawn: Drawn) -> str:
    best = max(drawn.rows, key=lambda each: float(each["y"]))
    return (
        "Updates per second over streams of data and of a text. The paper has no such figure. Here "
        f"up to {best['y'] * 1e-6:.3g} million, of {best['line']} with {best['panel']} and {best['threads']} streams."
    )


def _over(name: str, needs: str, axis: Axis, points: Callable[[Document], Points]) -> Recipe:
    return Recipe(name, needs, axis, points, MARKS, _accuracy, designs_of, also=None)


ACCURACY = "runs whose memory and accuracy are known"
FIGURES_OF_ACCURACY = (
    Recipe(
        "sources",
        "runs over streams that are not of Zipf's law",
        STREAMS,
        lambda document: _by_threads(saturated(document, zipf=False)),
        (Mark(measured(updates), "updates/s", itemgetter("source"), DESIGN, log=True),),
        _sources,
        designs_of,
        also=None,
    ),
    _over("accuracy-epsilon", f"{ACCURACY}, at several values of ε", EPSILON, _over_epsilon),
    _over("accuracy-skew", ACCURACY, ALPHA, lambda document: _most_streams(saturated(document))),
    _over("accuracy-streams", ACCURACY, STREAMS, _over_streams),
    Recipe(
        "queries", "runs of designs that are asked while they count", STREAMS, _queried, QUERIES, _queries, also=None
    ),
    Recipe(
        "tuning",
        "runs of the design auto-tuned at several values of ρ",
        RHO,
        _over_rho,
        (Mark(measured(updates), "updates/s", "updates/s", at_alpha, log=True),),
        _tuning,
        also=None,
    ),
)

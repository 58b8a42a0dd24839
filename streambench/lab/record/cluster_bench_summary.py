"""From the runs of `streambench bench cluster` to a row for each query and size of data, and what is wanted of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from streambench.lab.record.run import Plain, Row

KIND = "cluster-bench"
OURS, BUCKETS, SPARK_SQL, ONE_EXECUTOR, ONE_CORE = "spark", "buckets", "spark-sql", "1-executor", "1-core"
WAYS = {
    OURS: "ours",
    BUCKETS: "ours, buckets",
    SPARK_SQL: "Spark SQL",
    ONE_EXECUTOR: "ours, 1 executor",
    ONE_CORE: "run, 1 core",
}
"""By name, as a figure and a table call them."""

GROWTH = "growth"
"""Stands for the data in a row of what further tuples take: seconds for a million of them, a job's own cost apart."""


@dataclass(frozen=True)
class Target:
    """``of`` must be as many times as fast as ``against`` by ``least``; ``per_core``: for each of its cores."""

    name: str
    of: str
    against: str
    least: float
    per_core: bool = False


TARGETS = (
    Target("/ Spark SQL", OURS, SPARK_SQL, 2.0),
    Target("buckets / Spark SQL", BUCKETS, SPARK_SQL, 5.0),
    Target("a core / 1 core", OURS, ONE_CORE, 0.5, per_core=True),
    Target("2 / 1 executor", OURS, ONE_EXECUTOR, 1.7),
)


def rows(runs: Sequence[Plain]) -> list[Row]:
    """A row for each query and data, smaller data first, then of each query one of its `GROWTH` over several data.

    ``seconds``: the median of each way, None where a run of it was wrong; of `GROWTH` of a million further tuples, from
    the smallest data to the largest, None where it does not grow. ``ratios``: of each target, None where a side is.
    """
    summary: list[Row] = []
    for query in dict.fromkeys(run["query"] for run in runs):
        own = [run for run in runs if run["query"] == query]
        sizes = dict(sorted({run["data"]: run["tuples"] for run in own}.items(), key=lambda each: each[1]))
        here = [
            _row(query, data, tuples, [run for run in own if run["data"] == data]) for data, tuples in sizes.items()
        ]
        summary += here
        if len(here) > 1:
            summary.append(_growth(query, here))
    return summary


def wrong(summary: Sequence[Row]) -> list[str]:
    """What has no number, in words."""
    return [f"{row['query']} of {row['data']}, {problem}" for row in summary for problem in row["problems"]]


def _row(query: str, data: str, tuples: int, runs: Sequence[Plain]) -> Row:
    seconds: dict[str, float | None] = {}
    problems = []
    for way in dict.fromkeys(run["way"] for run in runs):
        of = [run for run in runs if run["way"] == way]
        bad = next((run["problem"] for run in of if run["problem"] is not None), None)
        seconds[way] = median(run["seconds"] for run in of) if bad is None else None
        problems += [] if bad is None else [f"{way}: {bad}"]
    cores = {run["way"]: run["cores"] for run in runs}
    return _with_ratios({"query": query, "data": data, "tuples": tuples, "cores": cores, "problems": problems}, seconds)


def _growth(query: str, here: Sequence[Row]) -> Row:
    seconds: dict[str, float | None] = {}
    for way in dict.fromkeys(way for row in here for way in row["seconds"]):
        points = [(row["tuples"], row["seconds"][way]) for row in here if row["seconds"].get(way) is not None]
        if len(points) > 1 and points[-1][0] > points[0][0]:
            grown = 1e6 * (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])
            seconds[way] = grown if grown > 0 else None
    more = here[-1]["tuples"] - here[0]["tuples"]
    cores = {way: number for row in here for way, number in row["cores"].items()}
    return _with_ratios({"query": query, "data": GROWTH, "tuples": more, "cores": cores, "problems": []}, seconds)


def _with_ratios(row: Row, seconds: dict[str, float | None]) -> Row:
    ratios: dict[str, float | None] = {}
    for target in TARGETS:
        of, against = seconds.get(target.of), seconds.get(target.against)
        cores = row["cores"][target.of] if target.per_core and of is not None else 1
        ratios[target.name] = None if of is None or against is None else against / of / cores
    return {**row, "seconds": seconds, "ratios": ratios, "verified": not row["problems"]}

"""The simulator's error: on the terminal, and as Markdown between two marks of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich import box
from rich.table import Table

from streambench.lab.host.machine import title
from streambench.lab.record.run import Row
from streambench.lab.record.summary import duration, human
from streambench.lab.record.validation_summary import (
    LATENCY_MEDIAN,
    THROUGHPUT_MEDIAN,
    THROUGHPUT_WORST,
    crossed,
    groups,
    verdict,
)
from streambench.lab.show.marked_block import note, written_by
from streambench.lab.show.table import Column, Layout, number, words
from streambench.queries.query import PAPER_QUERIES

MARK = "validate"
BY = ("query", "unit", "workers", "plan", "heuristic", "reorder", "partitioning", "partition_by")
TITLES = {"partition_by": "keys by"}
WORST = 10  # of those that miss, on the terminal; a page has all


def sentence(summary: Sequence[Row]) -> str:
    """How far off the simulator is, and whether that is allowed."""
    of_all = verdict(summary)
    if not of_all["n"]:
        return "nothing was compared"
    said = {name: "met" if met else "not met" for name, met in of_all["met"].items()}
    return (
        f"{of_all['n']} configurations: throughput is off by {of_all['throughput']:.0%} in the median "
        f"(target {THROUGHPUT_MEDIAN:.0%}: {said['throughput']}) and {of_all['worst']:.0%} at worst "
        f"(target {THROUGHPUT_WORST:.0%}: {said['worst']}), mean latency by "
        f"{of_all['latency']:.0%} in the median (target {LATENCY_MEDIAN:.0%}: {said['latency']})"
    )


def _calm(summary: Sequence[Row]) -> list[Row]:
    return [row for row in summary if row["disturbed"] is False and row["stayed"] is not False]


def disturbed(summary: Sequence[Row]) -> str:
    """How many were disturbed by others while they ran, or by the host, and how far the rest is off."""
    calm = _calm(summary)
    text = f"{sum(row['disturbed'] is True for row in summary)} of {len(summary)} were disturbed by other processes"
    if moved := sum(row["stayed"] is False for row in summary):
        text += f", and during {moved} the host moved the cores"
    if not calm or len(calm) == len(summary):
        return text
    of_calm = verdict(calm)
    if not of_calm["n"]:
        return text
    return (
        f"{text}; of the {of_calm['n']} of which surely neither is true, throughput is off by "
        f"{of_calm['throughput']:.0%} in the median and {of_calm['worst']:.0%} at worst, latency by "
        f"{of_calm['latency']:.0%} in the median"
    )


def _by_group(summary: Sequence[Row]) -> list[Row]:
    """Each engine by itself."""
    averages = []
    for engine in sorted({row["engine"] for row in summary}):
        of_engine = [row for row in summary if row["engine"] == engine]
        averages.append({"of": str(engine), **verdict(of_engine)})
        ranges = any(row.get("partition_by") == "range" for row in of_engine)
        for name in (each for each in BY if ranges or each != "partition_by"):
            by = {value: each for value, each in groups(of_engine, name).items() if value is not None}
            averages += [{"of": f"{engine}, {TITLES.get(name, name)} {value}", **each} for value, each in by.items()]
    return [row for row in averages if row["n"]]


def _misses(summary: Sequence[Row]) -> list[Row]:
    return sorted((row for row in summary if row["missed"]), key=lambda row: -abs(row["throughput_error"]))


def _disturbed(row: Row) -> str:
    return {True: "yes", False: "no", None: "?"}[row["disturbed"]] + (", moved" if row["stayed"] is False else "")


def _workload(row: Row) -> str:
    return f"{row['query']} {row['workers']}" + (f", {row['unit']}" if row["unit"] else "")


def _how(row: Row) -> str:
    """The schemes or the plan."""
    by = ", by range" if row.get("partition_by") == "range" else ""
    if row.get("plan"):
        return f"plan {row['plan']}" + ("" if row["unit"] else ", unit chosen") + by
    return f"{row['heuristic']} {row['reorder']} {row['partitioning']}{by}"


def _percent(head: str, of: str) -> Column:
    return number(head, of, "{:.0%}".format)


GROUPS = Layout(
    None,
    (
        *words("of"),
        number("configurations", "n"),
        *map(_percent, ("throughput, median", "worst", "latency, median"), ("throughput", "worst", "latency")),
    ),
)
CROSSINGS = Layout(
    None,
    (
        Column("calibrated on", "calibrated", ", ".join),
        number("predicts", "predicted", ", ".join),
        *map(_percent, ("throughput before", "after"), ("throughput.before", "throughput.after")),
        *map(_percent, ("latency before", "after"), ("latency.before", "latency.after")),
    ),
)
MISSES = Layout(
    None,
    (
        Column("workload, workers and unit", _workload),
        number("schemes or plan", _how),
        number("measured", lambda row: f"{human(row['throughput'])}/s"),
        number("simulated", "throughput_error", "{:+.0%}".format),
        number("measured latency", "latency", duration),
        number("simulated", "latency_error", "{:+.0%}".format),
        number("disturbed", _disturbed),
    ),
)


def origin(document: Mapping[str, Any]) -> str:
    """By what, when, where and with which version it was compared."""
    on = f"{str(document['created'])[:10]}: {title(document['machine'])}, {written_by(document)}"
    return f"by `streambench simulate validate` on {on}"


def terminal(summary: Sequence[Row]) -> list[Table]:
    """The errors by group, the cross prediction, and the worst of what misses."""
    missed = _misses(summary)
    worst = f", of which the worst {WORST}" if len(missed) > WORST else ""
    parts = (
        (None, GROUPS, _by_group(summary)),
        (None, CROSSINGS, crossed(summary, PAPER_QUERIES)),
        (f"off by more than the median may be: {len(missed)}{worst}", MISSES, missed[:WORST]),
    )
    return [
        replace(layout, title=title).terminal(rows, box=box.SIMPLE_HEAD, title_justify="left")
        for title, layout, rows in parts
    ]


def _data(parameters: Mapping[str, Any]) -> str:
    """Over which data, where there are any."""
    if "data" not in parameters:
        return ""
    scale = parameters.get("scale_factor")
    return f" over `{parameters['data']}`" + ("" if scale is None else f" (scale factor {scale:g})")


def markdown(document: Mapping[str, Any], name: str) -> str:
    """All of it, with every configuration that misses. The same document, a file of this ``name``, gives the same
    text."""
    summary, parameters = document["summary"], document["parameters"]
    missed = _misses(summary)
    lines = [
        note("simulate validate --markdown"),
        "",
        f"Compared {origin(document)}, {parameters['cases']} configurations drawn from all "
        f"{parameters['of']}{_data(parameters)}, runs of about {parameters['seconds']:g} s (`{name}`).",
        "",
        f"{sentence(summary)}. {disturbed(summary)}.",
        "",
        *GROUPS.markdown(_by_group(summary)),
        "",
        "Calibrated on three queries (one factor for each number of workers and unit size), the other two:",
        "",
        *CROSSINGS.markdown(crossed(summary, PAPER_QUERIES)),
        "",
        f"The {len(missed)} configurations that are off by more than the median may be:",
        "",
        "<details><summary>list</summary>",
        "",
        *MISSES.markdown(missed),
        "",
        "</details>",
    ]
    return "\n".join(lines) + "\n"

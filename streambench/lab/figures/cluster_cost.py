"""The figure of a cluster bench: what a query costs over growing data, each way of running it a line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.figures.caption import DERIVED, MEASURED, origin
from streambench.lab.figures.chart import LOG, Chart, Panel, Row, for_csv, picture
from streambench.lab.figures.files import save, save_rows
from streambench.lab.figures.lines import plain, seconds
from streambench.lab.record.cluster_bench_summary import WAYS, rows, wrong
from streambench.lab.record.interval_text import error_bars
from streambench.lab.record.statistics import summary

NAME = "cluster-cost"


def draw(document: Mapping[str, Any], out: Path) -> list[Path]:
    """Write cluster-cost.png, .svg and .csv; returns their paths.

    Raises StreambenchError where no way of a query was right in all its runs.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    drawn = _rows(document)
    if not drawn:
        raise StreambenchError(
            "there is nothing to draw: the result holds no query and way of which all runs were right"
        )
    panels = {query: Panel(query.upper(), "seconds", log=True, unit=seconds) for query in _queries(drawn)}
    chart = Chart("tuples of the stream", panels, drawn, list(WAYS.values()), "", x=LOG, x_unit=_tuples)
    return [*save(picture(chart, _caption(document, drawn)), out, NAME), save_rows(for_csv(chart), out, NAME)]


def _tuples(number: float) -> str:
    return plain(float(f"{number:.3g}"))


def _queries(drawn: list[Row]) -> list[str]:
    return list(dict.fromkeys(each["panel"] for each in drawn))


def _rows(document: Mapping[str, Any]) -> list[Row]:
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for run in document["runs"]:
        groups.setdefault((run["query"], run["way"], run["data"], run["tuples"]), []).append(run)
    return [_row(key, runs) for key, runs in groups.items() if all(run["verified"] for run in runs)]


def _row(key: tuple[Any, ...], runs: list[Mapping[str, Any]]) -> Row:
    query, way, data, tuples = key
    values = tuple(run["seconds"] for run in runs)
    found = summary(values)
    low, high = (found.low, found.high) if found.coverage is not None else (None, None)
    return {
        "panel": query,
        "line": WAYS[way],
        "x": tuples,
        **{"y": found.median, "y_low": low, "y_high": high, "repeats": found.n, "values": values},
        "core_round_trips_ns": (None,) * len(values),
        **{"query": query, "way": way, "data": data, "cores": runs[0]["cores"]},
    }


def _caption(document: Mapping[str, Any], drawn: list[Row]) -> str:
    data = ", ".join(each["data"] for each in document["parameters"]["data_directories"])
    bad = "; ".join(wrong(rows(document["runs"])))
    told = [
        "A standalone Spark cluster of two workers of one core on this machine; Spark's own start and a first run to "
        f"warm up are left out. Data: {data}.",
        origin(document, data=False),
        error_bars({each["repeats"] for each in drawn}),
        f"{MEASURED}; every run's answer was checked against SQL's.",
        f"Not drawn, because a run was wrong: {bad}." if bad else "",
        DERIVED,
    ]
    return " ".join(filter(None, told))

"""Figures 8, 9 and 11 of paper 004 from an S-NET bench's document: execution time over the size, by runtime."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from streambench.errors import StreambenchError
from streambench.figures.caption import MEASURED, origin
from streambench.figures.chart import Chart, Panel, Row, for_csv, picture
from streambench.figures.files import save, save_rows
from streambench.figures.lines import seconds
from streambench.record.interval_text import error_bars
from streambench.record.snet_summary import KIND, rows, wrong
from streambench.record.statistics import summary

__all__ = ["FIGURES", "KIND", "draw"]

THREADS = "a thread for each entity"

Tell = Callable[[str], None]


class SnetFigure(NamedTuple):
    """``size``: what the case's size is; ``claim``: what the paper says."""

    case: str
    size: str
    claim: str


CHARTS = {
    "8": SnetFigure("fibonacci", "N", "The paper: FRONT is about 50 times as fast."),
    "9": SnetFigure("power-of-two", "N", "The paper: only threads suffer from more than 1,000 streams that join."),
    "11a": SnetFigure("sieve-star", "N = M", "The paper: threads suffer from switches, one pipeline of filters."),
    "11b": SnetFigure("sieve-feedback", "N = M", "The paper: threads gain from fewer entities than in the star."),
}
FIGURES = tuple(CHARTS)


def draw(document: Mapping[str, Any], out: Path, names: Collection[str], tell: Tell) -> list[Path]:
    """Write figure-<name>.png, .svg and .csv of each of ``names`` that has points; returns the paths.

    ``tell`` gets a sentence for each figure that is not drawn. Raises StreambenchError where none of those that were
    measured is; some cases have no figure.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    written: list[Path] = []
    for name in (each for each in FIGURES if each in names):
        chart = _chart(CHARTS[name], document)
        if chart is None:
            tell(f"figure {name} is not drawn: the result holds no verified runs of {CHARTS[name].case}")
            continue
        stem = f"figure-{name}"
        written += save(picture(chart, _caption(name, document, chart)), out, stem)
        written.append(save_rows(for_csv(chart), out, stem))
    measured = {figure.case for figure in CHARTS.values()} & {*document["parameters"]["cases"]}
    if not written and measured:
        raise StreambenchError(
            "there is nothing to draw: the result holds no verified points of these figures; measure them with "
            "`streambench snet bench`"
        )
    return written


def _chart(figure: SnetFigure, document: Mapping[str, Any]) -> Chart | None:
    found = [each for each in rows(document["runs"]) if each["case"] == figure.case and each["verified"]]
    if not found:
        return None
    drawn = [_row(each, document) for each in found]
    text = f"Execution time of `{figure.case}`. {figure.claim}{_ratios(found)}"
    panels = {figure.case: Panel(figure.case, "execution time", log=True, unit=seconds)}
    return Chart(figure.size, panels, drawn, list(dict.fromkeys(each["line"] for each in drawn)), text)


def _row(point: Mapping[str, Any], document: Mapping[str, Any]) -> Row:
    names = ("case", "size", "runtime", "workers")
    runs = [each for each in document["runs"] if all(each[name] == point[name] for name in names)]
    values = [each["seconds"] for each in runs]
    found = summary(values)
    low, high = (found.low, found.high) if found.coverage is not None else (None, None)
    return {
        "panel": point["case"],
        "line": _line(point),
        "x": point["size"],
        **{"y": found.median, "y_low": low, "y_high": high, "repeats": found.n, "values": tuple(values)},
        "core_round_trips_ns": tuple(each["core_round_trip_ns"] for each in runs),
        **{name: point[name] for name in names},
    }


def _line(point: Mapping[str, Any]) -> str:
    if point["runtime"] == "threads":
        return THREADS
    return f"FRONT, {point['workers']} worker{'s' * (point['workers'] > 1)}"


def _ratios(found: list[dict[str, Any]]) -> str:
    """How many times as long threads take, at the largest size that both were measured at."""
    both = [each for each in found if each["ratio_to"] == "threads 1"]
    if not both:
        return ""
    last = max(both, key=lambda each: int(each["size"]))
    return f" Here {last['ratio']['median']:.3g} times, at {last['size']:,}."


def _caption(name: str, document: Mapping[str, Any], chart: Chart) -> str:
    bad = ", ".join(wrong(rows(document["runs"])))
    told = [
        f"Figure {name} of paper 004. {chart.text}",
        origin(document, data=False),
        error_bars({each["repeats"] for each in chart.rows}),
        f"{MEASURED}; every run's answer was checked.",
        f"Not drawn, because a run was wrong: {bad}." if bad else "",
    ]
    return " ".join(filter(None, told))

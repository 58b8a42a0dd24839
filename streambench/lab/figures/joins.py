"""The figures of paper 001 from a join bench's document: those that it holds points for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.figures import join_scaling, join_skew
from streambench.lab.figures.caption import MEASURED, origin
from streambench.lab.figures.chart import Chart, for_csv, picture
from streambench.lab.figures.files import save, save_rows
from streambench.lab.figures.join_points import points
from streambench.lab.record.interval_text import error_bars
from streambench.lab.record.join_summary import KIND, rows, wrong

__all__ = ["FIGURES", "KIND", "draw"]

CHARTS = {figure.name: figure for figure in join_scaling.FIGURES}
FIGURES = (*CHARTS, *join_skew.NAMES)
CHECKED = (
    "every run's output tuples were checked against those of the index on one thread, and these against a naive join"
)
ORDER_CHECKED = "the order that every reader found was checked"
ONE_MACHINE = "The paper has two machines, here is one."
STANDS_FOR = {"5a": "5d", "5b": "5e", "5c": "5f", "6a": "6b", "7b": "7c"}  # what the paper's second machine gave

Tell = Callable[[str], None]


def draw(document: Mapping[str, Any], out: Path, names: Collection[str], tell: Tell) -> list[Path]:
    """Write figure-<name>.png, .svg and .csv of each of ``names`` that has points; returns the paths.

    ``tell`` gets a sentence for each figure that is not drawn. Raises StreambenchError where none is.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    written: list[Path] = []
    for name in (each for each in FIGURES if each in names):
        drawn = _skew(name, document, out) if name in join_skew.NAMES else _chart(name, document, out)
        if not drawn:
            needs = CHARTS[name].needs if name in CHARTS else f"run of the case study {name}"
            tell(f"figure {name} is not drawn: the result holds no verified {needs}")
        written += drawn
    if not written:
        raise StreambenchError(
            "there is nothing to draw: the result holds no verified points of these figures; measure them with "
            "`streambench bench joins`"
        )
    return written


def caption(name: str, document: Mapping[str, Any], chart: Chart) -> str:
    """What is drawn, the paper's claim beside what was measured, and how that was, in sentences."""
    counts = sorted({each["repeats"] for each in chart.rows if each["repeats"] is not None})
    threads = max(each["threads"] for each in chart.rows if each["threads"] is not None)
    crowded = threads > len(document["machine"]["cpu"]["allowed"])
    return " ".join(
        filter(
            None,
            [
                f"{_named(name)} {chart.text} {ONE_MACHINE}",
                origin(document, data=False),
                error_bars(counts),
                "More threads than cores take turns." if crowded else "",
                _closing(document, ORDER_CHECKED if name == "7a" else CHECKED),
            ],
        )
    )


def _named(name: str) -> str:
    other = f"; it stands for {STANDS_FOR[name]}, too" if name in STANDS_FOR else ""
    return f"Figure {name} of paper 001{other}."


def _chart(name: str, document: Mapping[str, Any], out: Path) -> list[Path]:
    chart = CHARTS[name].chart(document)
    if chart is None:
        return []
    stem = f"figure-{name}"
    return [*save(picture(chart, caption(name, document, chart)), out, stem), save_rows(for_csv(chart), out, stem)]


def _skew(name: str, document: Mapping[str, Any], out: Path) -> list[Path]:
    found = points(document, f"skew {name}")
    if not found or len(found[0].runs[0]["samples"]["seconds"]) < 2:
        return []
    run = found[0].runs[0]
    told = f"{join_skew.text(name, run)} {ONE_MACHINE} {origin(document, repeats='one run', data=False)}"
    return join_skew.draw(name, run, f"{told} {_closing(document)}", out)


def _closing(document: Mapping[str, Any], checked: str = CHECKED) -> str:
    bad = ", ".join(wrong(rows(document["runs"])))
    return f"{MEASURED}; {checked}." + (f" Not drawn, because a run was wrong: {bad}." if bad else "")

"""The figures of paper 002 from a top-k bench's document: those that it holds points for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.figures import topk_profiles, topk_speed
from streambench.lab.figures.caption import MEASURED, origin
from streambench.lab.figures.chart import Chart, for_csv, picture
from streambench.lab.figures.files import save, save_rows
from streambench.lab.record.interval_text import error_bars
from streambench.lab.record.topk_summary import KIND, rows, wrong

__all__ = ["FIGURES", "KIND", "draw"]

_SPEED = {figure.name: figure for figure in topk_speed.FIGURES}
_PROFILES = {figure.name: figure for figure in topk_profiles.FIGURES}
CHARTS = {
    name: _SPEED.get(name) or _PROFILES[name]
    for name in ("1", "2", "5", "6", "7", "8", "9a", "9b", "9c", "10a", "10b", "10c", "updates")
}
FIGURES = tuple(CHARTS)
CHECKED = "every run's answer was checked against exact counts"
OWN_RUNS = "Operations are timed in runs of their own."

Tell = Callable[[str], None]


def draw(document: Mapping[str, Any], out: Path, names: Collection[str], tell: Tell) -> list[Path]:
    """Write figure-<name>.png, .svg and .csv of each of ``names`` that has points; returns the paths.

    ``tell`` gets a sentence for each figure that is not drawn. Raises StreambenchError where none is.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    written: list[Path] = []
    for name in (each for each in FIGURES if each in names):
        chart = CHARTS[name].chart(document)
        if chart is None:
            tell(f"figure {name} is not drawn: the result holds no verified {CHARTS[name].needs}")
            continue
        stem = f"figure-{name}"
        written += save(picture(chart, caption(name, document, chart)), out, stem)
        written.append(save_rows(for_csv(chart), out, stem))
    if not written:
        raise StreambenchError(
            "there is nothing to draw: the result holds no verified points of these figures; measure them with "
            "`streambench bench topk`"
        )
    return written


def caption(name: str, document: Mapping[str, Any], chart: Chart) -> str:
    """What is drawn, the paper's claim beside what was measured, and how that was, in sentences."""
    parameters = document["parameters"]
    threads = max(each["threads"] for each in chart.rows)
    crowded = threads > len(document["machine"]["cpu"]["allowed"])
    bad = ", ".join(wrong(rows(document["runs"])))
    return " ".join(
        filter(
            None,
            [
                f"{'' if name == 'updates' else f'Figure {name} of paper 002. '}{chart.text}",
                f"{parameters['items']:,} items a stream, ε = {parameters['epsilon']:g}.",
                OWN_RUNS if name in _PROFILES else "",
                origin(document, data=False),
                error_bars({each["repeats"] for each in chart.rows}),
                "More threads than cores take turns." if crowded else "",
                f"{MEASURED}; {CHECKED}.",
                f"Not drawn, because a run was wrong: {bad}." if bad else "",
            ],
        )
    )

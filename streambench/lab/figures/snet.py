"""Figures 8, 9, 11, 12 and 13 of paper 004 from an S-NET bench's document."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from streambench.errors import StreambenchError
from streambench.lab.figures import snet_scaling
from streambench.lab.figures.caption import MEASURED, origin
from streambench.lab.figures.chart import Chart, Panel, for_csv, picture
from streambench.lab.figures.files import save, save_rows
from streambench.lab.figures.lines import seconds
from streambench.lab.figures.snet_points import THREADS, Document, line, ratio, row, verified
from streambench.lab.record.interval_text import error_bars
from streambench.lab.record.snet_summary import KIND, rows, wrong
from streambench.lab.record.summary import human

__all__ = ["FIGURES", "KIND", "draw"]

Tell = Callable[[str], None]


class SnetFigure(NamedTuple):
    """``claim``: what the paper says; ``chart``: None where the document has no verified points of the ``case``."""

    case: str
    chart: Callable[[Document], Chart | None]


class OverSize(NamedTuple):
    """Execution time over the ``size``, and ``records`` a second where the paper has them, by the reference's count."""

    case: str
    size: str
    claim: str
    records: Callable[[int], int] | None = None

    def chart(self, document: Document) -> Chart | None:
        """None where there are no points."""
        found = verified(document, self.case)
        if not found:
            return None
        panels = {"time": Panel(self.case, "execution time", log=True, unit=seconds)}
        drawn = [row("time", line(each), each["size"], each, document, lambda taken, _: taken) for each in found]
        if self.records is not None:
            panels["rate"] = Panel(self.case, "records per second", log=True, unit=human)
            for each in found:
                many = self.records(each["size"])
                drawn.append(row("rate", line(each), each["size"], each, document, partial(_rate, many)))
        text = f"Execution time{' and records a second' * (self.records is not None)} of `{self.case}`. {self.claim}"
        told = ratio(found, lambda each: each["ratio_to"] == "threads 1")
        if told:
            text += f" Here {THREADS} takes {told[1]:.3g} times as long as one worker of FRONT, at {told[0]}."
        return Chart(self.size, panels, drawn, list(dict.fromkeys(each["line"] for each in drawn)), text)


def _rate(records: int, own: float, _: float) -> float:
    return records / own


def _fibonacci_records(n: int) -> int:
    a, b = 0, 1
    for _ in range(n + 1):
        a, b = b, a + b
    return 8 * a - 2


OVER_SIZE = {
    "8": OverSize("fibonacci", "N", "The paper: FRONT is about 50 times as fast.", _fibonacci_records),
    "9": OverSize(
        "power-of-two",
        "N",
        "The paper: only threads suffer from more than 1,000 streams that join.",
        lambda n: 8 * 2**n - 2,
    ),
    "11a": OverSize(
        "sieve-star", "N = M", "The paper: threads suffer from switches in a long pipeline, FRONT's workers walk it."
    ),
    "11b": OverSize(
        "sieve-feedback", "N = M", "The paper: threads gain from the second pattern, which has fewer entities."
    ),
}
CHARTS: Mapping[str, SnetFigure] = {
    **{name: SnetFigure(each.case, each.chart) for name, each in OVER_SIZE.items()},
    "12": SnetFigure("stap-like", snet_scaling.concurrency),
    "13": SnetFigure("cholesky", snet_scaling.workers),
}
FIGURES = tuple(CHARTS)


def draw(document: Document, out: Path, names: Collection[str], tell: Tell) -> list[Path]:
    """Write figure-<name>.png, .svg and .csv of each of ``names`` that has points; returns the paths.

    ``tell`` gets a sentence for each figure that is not drawn. Raises StreambenchError where none of those that were
    measured is; some cases have no figure.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    written: list[Path] = []
    for name in (each for each in FIGURES if each in names):
        chart = CHARTS[name].chart(document)
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
            "`streambench bench snet`"
        )
    return written


def _caption(name: str, document: Document, chart: Chart) -> str:
    bad = ", ".join(wrong(rows(document["runs"])))
    told = [
        f"Figure {name} of paper 004. {chart.text}",
        origin(document, data=False),
        error_bars({each["repeats"] for each in chart.rows if each["repeats"]}),
        f"{MEASURED}; every run's answer was checked.",
        f"Not drawn, because a run was wrong: {bad}." if bad else "",
    ]
    return " ".join(filter(None, told))

"""Paper 001's figure 8: rates of several physical streams, what threads compare, and how evenly, through time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from streambench.lab.figures.caption import origin, sentences
from streambench.lab.figures.chart import sheet
from streambench.lab.figures.files import Picture
from streambench.lab.figures.lines import TEXT, frame, look, plain
from streambench.lab.figures.points import Document, right_points
from streambench.lab.figures.recipe import Paper
from streambench.lab.record.join_summary import POINT
from streambench.lab.record.run import Plain as Run
from streambench.lab.record.run import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANEL_HEIGHT, EDGE = 1.75, 0.55  # inches
LABELS = {"rates": "tuples/s in", "comparisons": "comparisons/s\nof a thread", "deviation": "deviation, %"}


@dataclass(frozen=True)
class Study:
    """A case study of the paper: what arrives, and what the paper says of it."""

    name: str
    title: str
    claim: str

    @property
    def needs(self) -> str:
        return f"run of the case study {self.name}"

    def picture(self, paper: Paper, document: Document) -> Picture | None:
        """The figure of the first repeat; None where a run was wrong, or too short for two samples."""
        points = right_points(document["runs"], POINT, (), lambda run: bool(run["measure"] == f"skew {self.name}"))
        if not points or len(points[0]["samples"]["seconds"]) < 2:
            return None
        run = points[0].runs[0]
        caption = sentences(
            self.text(run),
            paper.note(document),
            origin(document, repeats="one run", data=False),
            paper.closing(document),
        )
        data = rows(run)
        return Picture(f"figure-{self.name}", lambda: _figure(data, caption), data)

    def text(self, run: Run) -> str:
        """What is drawn, the paper's claim and what was measured, in sentences."""
        between = through_time(run["samples"])
        rates, deviations = [rate for _, rate, _ in between], [deviation for _, _, deviation in between]
        return (
            f"Figure {self.name} of paper 001. {self.title} Through a gate, in an open loop, tier {run['tier']}, "
            f"{run['threads']} thread{'s' * (run['threads'] > 1)}, a window of {run['window_seconds']:g} s. "
            f"{self.claim} Here: {min(rates) * 1e-6:.3g} to {max(rates) * 1e-6:.3g} million a second of each, a "
            f"deviation {_told(max(deviations))}, at the end {_told(deviations[-1])}. It is that of all pairs looked "
            "at so far; a thread may be some batches ahead of another."
        )


def rows(run: Run) -> list[Row]:
    """What is drawn: `panel`, `line`, `seconds`, `value`."""
    values: list[tuple[str, str, float, float]] = []
    for name, rates in run["samples"]["rates"].items():
        step = run["window_seconds"] / len(rates)
        values += [("rates", name, (place + 0.5) * step, rate) for place, rate in enumerate(rates)]
    for at, each, deviation in through_time(run["samples"]):
        values += [("comparisons", "a thread", at, each), ("deviation", "between threads", at, deviation)]
    return [dict(zip(("panel", "line", "seconds", "value"), each, strict=True)) for each in values]


def through_time(samples: Mapping[str, Any]) -> list[tuple[float, float, float]]:
    """Between two samples: the middle, a thread's comparisons per second, the threads' standard deviation in per cent.

    Of threads that have looked at so much since the study began: one may be a batch ahead of the other.
    """
    steps = []
    seconds: Sequence[float] = samples["seconds"]
    for k in range(1, len(seconds)):
        before, after = samples["compared"][k - 1], samples["compared"][k]
        rate = fmean(b - a for a, b in zip(before, after, strict=True)) / (seconds[k] - seconds[k - 1])
        deviation = 100 * pstdev(after) / fmean(after) if any(after) else 0.0
        steps.append(((seconds[k - 1] + seconds[k]) / 2, rate, deviation))
    return steps


def _told(deviation: float) -> str:
    return f"of {deviation:.2g} % at most" if deviation >= 0.01 else "below 0.01 %"


def _figure(data: Sequence[Row], caption: str) -> Figure:
    from matplotlib.ticker import FuncFormatter

    figure, grid, _ = sheet(3, 1, PANEL_HEIGHT, caption, 0.0, EDGE, sharex=True)
    for axes, (panel, label) in zip(grid, LABELS.items(), strict=True):
        frame(axes)
        here = [each for each in data if each["panel"] == panel]
        for number, line in enumerate(dict.fromkeys(each["line"] for each in here)):
            own = [each for each in here if each["line"] == line]
            style = {key: value for key, value in look(number).items() if key in ("color", "linestyle", "linewidth")}
            axes.plot([each["seconds"] for each in own], [each["value"] for each in own], label=line, **style)
        axes.set_ylabel(label, fontsize=9)
        axes.set_ylim(bottom=0)
        if panel != "deviation":
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    grid[0].legend(loc="upper right", ncols=6, fontsize=8, frameon=False, labelcolor=TEXT)
    grid[2].set_xlabel("seconds", fontsize=9)
    figure.subplots_adjust(left=0.1)
    return figure


STUDIES = (
    Study(
        "8a",
        "Constant rates: 1 physical stream of R, 4 of S.",
        "The paper, on 10 threads: some 65 million comparisons a second of each, steady, a deviation around 0.05 %.",
    ),
    Study(
        "8b",
        "Oscillating rates: 3 physical streams of R, 2 of S.",
        "The paper, on 12 threads: between 18.5 and 55 million a second of each, a deviation around 0.1 %.",
    ),
    Study(
        "8c",
        "Constant rates with peaks: 4 physical streams of R, 2 of S.",
        "The paper, on 14 threads: a deviation around 0.1 %, through all peaks.",
    ),
)

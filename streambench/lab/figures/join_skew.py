"""Paper 001's figure 8: rates of several physical streams, what threads compare, and how evenly, through time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from streambench.lab.figures.caption import put_under
from streambench.lab.figures.files import save, save_rows
from streambench.lab.figures.lines import TEXT, frame, look, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = ("8a", "8b", "8c")
WIDTH, PANEL_HEIGHT, EDGE = 9.2, 1.75, 0.55  # inches
CLAIMS = {
    "8a": "The paper, on 10 threads: some 65 million comparisons a second of each, steady, a deviation around 0.05 %.",
    "8b": "The paper, on 12 threads: between 18.5 and 55 million a second of each, a deviation around 0.1 %.",
    "8c": "The paper, on 14 threads: a deviation around 0.1 %, through all peaks.",
}
TITLES = {
    "8a": "Constant rates: 1 physical stream of R, 4 of S.",
    "8b": "Oscillating rates: 3 physical streams of R, 2 of S.",
    "8c": "Constant rates with peaks: 4 physical streams of R, 2 of S.",
}

Row = dict[str, Any]


def rows(run: Mapping[str, Any]) -> list[Row]:
    """What is drawn: `panel`, `line`, `seconds`, `value`."""
    samples = run["samples"]
    found = []
    for name, rates in samples["rates"].items():
        step = run["window_seconds"] / len(rates)
        found += [_row("rates", name, (place + 0.5) * step, rate) for place, rate in enumerate(rates)]
    for at, each, deviation in through_time(samples):
        found += [_row("comparisons", "a thread", at, each), _row("deviation", "between threads", at, deviation)]
    return found


def through_time(samples: Mapping[str, Any]) -> list[tuple[float, float, float]]:
    """Between two samples: the middle, a thread's comparisons per second, the threads' standard deviation in per cent.

    Of threads that have looked at so much since the study began: one may be a batch ahead of the other.
    """
    found = []
    seconds: Sequence[float] = samples["seconds"]
    for k in range(1, len(seconds)):
        before, after = samples["compared"][k - 1], samples["compared"][k]
        rate = fmean(b - a for a, b in zip(before, after, strict=True)) / (seconds[k] - seconds[k - 1])
        deviation = 100 * pstdev(after) / fmean(after) if any(after) else 0.0
        found.append(((seconds[k - 1] + seconds[k]) / 2, rate, deviation))
    return found


def text(name: str, run: Mapping[str, Any]) -> str:
    """What is drawn, the paper's claim and what was measured, in sentences."""
    between = through_time(run["samples"])
    rates, deviations = [rate for _, rate, _ in between], [deviation for _, _, deviation in between]
    return (
        f"Figure {name} of paper 001. {TITLES[name]} Through a gate, in an open loop, tier {run['tier']}, "
        f"{run['threads']} thread{'s' * (run['threads'] > 1)}, a window of {run['window_seconds']:g} s. {CLAIMS[name]} "
        f"Here: {min(rates) * 1e-6:.3g} to {max(rates) * 1e-6:.3g} million a second of each, a deviation "
        f"{_told(max(deviations))}, at the end {_told(deviations[-1])}. It is that of all pairs looked at so far; a "
        f"thread may be some batches ahead of another."
    )


def _told(deviation: float) -> str:
    return f"of {deviation:.2g} % at most" if deviation >= 0.01 else "below 0.01 %"


def draw(name: str, run: Mapping[str, Any], caption: str, out: Path) -> list[Path]:
    """Write figure-<name>.png, .svg and .csv; returns the paths."""
    found = rows(run)
    stem = f"figure-{name}"
    return [*save(_figure(found, caption), out, stem), save_rows(found, out, stem)]


def _row(panel: str, line: str, seconds: float, value: float) -> Row:
    return {"panel": panel, "line": line, "seconds": seconds, "value": value}


def _figure(found: Sequence[Row], caption: str) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    figure = Figure(figsize=(WIDTH, 1.0))
    under = put_under(figure, caption)
    foot = under + EDGE
    height = 3 * PANEL_HEIGHT + foot + 0.2
    figure.set_figheight(height)
    figure.texts[0].set_y(0.06 / height)
    grid = figure.subplots(3, 1, sharex=True)
    labels = {"rates": "tuples/s in", "comparisons": "comparisons/s\nof a thread", "deviation": "deviation, %"}
    for axes, (panel, label) in zip(grid, labels.items(), strict=True):
        _lines(axes, [each for each in found if each["panel"] == panel])
        axes.set_ylabel(label, fontsize=9)
        axes.set_ylim(bottom=0)
        if panel != "deviation":
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    grid[0].legend(loc="upper right", ncols=6, fontsize=8, frameon=False, labelcolor=TEXT)
    grid[2].set_xlabel("seconds", fontsize=9)
    figure.subplots_adjust(left=0.1, right=0.985, top=1 - 0.12 / height, bottom=foot / height, hspace=0.18)
    return figure


def _lines(axes: Axes, found: Sequence[Row]) -> None:
    frame(axes)
    for number, line in enumerate(dict.fromkeys(each["line"] for each in found)):
        own = [each for each in found if each["line"] == line]
        style = {key: value for key, value in look(number).items() if key in ("color", "linestyle", "linewidth")}
        axes.plot([each["seconds"] for each in own], [each["value"] for each in own], label=line, **style)

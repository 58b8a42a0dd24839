"""The timeline of a run of the paper's schemes: worker-time shares, worklist sizes and reorder events over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from streambench.lab.record.summary import human

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = npt.NDArray[np.generic]

FORMATS = ("png", "svg", "pdf")
MOST_POINTS = 400  # more than a picture can show
MOST_AREAS = 80  # more than the eye can tell apart
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++", "ooo", "---")
DASHES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1)), (0, (8, 3)))
EVENTS = ("refused", "waiting", "retries", "contended")


def write(file: IO[bytes], kind: str, timeline: Mapping[str, Any], names: Sequence[str], title: str) -> None:
    """Draw ``timeline`` (see ``streambench.pyx.schemes.timeline``) of the stages ``names`` into an open file."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "streambench", "svg.fonttype": "none"}):
        draw(timeline, names, title).savefig(file, format=kind, dpi=150)


def draw(timeline: Mapping[str, Any], names: Sequence[str], title: str) -> Figure:
    """The figure: three panels over the seconds since the start."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    at = np.asarray(timeline["at"], dtype=float)
    figure = Figure(figsize=(8, 7.5), layout="constrained")
    top, middle, bottom = figure.subplots(3, 1, sharex=True)
    figure.suptitle(title, fontsize=11)
    if len(at) < 2:
        top.text(0.5, 0.5, "the run was too short for samples", ha="center", va="center", transform=top.transAxes)
        return figure
    _shares(top, at, np.asarray(timeline["seconds"], dtype=float), names)
    step = max(1, len(at) // MOST_POINTS)
    for place, name in list(enumerate(names))[1:]:  # the source has no worklist
        queued = np.asarray(timeline["queued"], dtype=float)[::step, place]
        middle.plot(
            at[::step], queued, color=_grey(place, len(names)), ls=DASHES[place % len(DASHES)], lw=1.2, label=name
        )
    middle.set_yscale("symlog", linthresh=1)
    middle.set_ylim(bottom=0)
    middle.set_ylabel("tuples in the worklist")
    for place, event in enumerate(EVENTS):
        total = np.asarray(timeline[event], dtype=float).sum(axis=1)
        bottom.plot(at, total, color="black", ls=DASHES[place], lw=1.2, label=f"{event}: {int(total[-1]):,}")
    bottom.set_yscale("symlog", linthresh=1)
    bottom.set_ylim(bottom=0)
    bottom.set_ylabel("reorder events, cumulated")
    bottom.set_xlabel("seconds since the start")
    for axes in (middle, bottom):
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: human(float(value)) if value else "0"))
        axes.grid(axis="y", color="0.9", linewidth=0.8)
        axes.set_axisbelow(True)
    for axes in (top, middle, bottom):
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8, frameon=False)
    return figure


def _shares(axes: Any, at: Array, seconds: Array, names: Sequence[str]) -> None:
    """Stacked: of the worker time spent between two samples, the part of each stage."""
    step = max(1, (len(at) - 1) // MOST_AREAS)
    spent = np.diff(seconds[::step], axis=0)
    total = spent.sum(axis=1, keepdims=True)
    parts = np.divide(spent, total, out=np.zeros_like(spent), where=total > 0)
    drawn = axes.stackplot(
        at[::step][1:],
        parts.T,
        labels=list(names),
        colors=[_grey(place, len(names)) for place in range(len(names))],
        edgecolor="white",
        linewidth=0.4,
    )
    for place, area in enumerate(drawn):
        area.set_hatch(HATCHES[place % len(HATCHES)])
    axes.set_ylim(0, 1)
    axes.set_ylabel("share of worker time")


def _grey(place: int, count: int) -> str:
    return f"{0.15 + 0.6 * place / max(1, count - 1):.2f}"

"""Latency over time where a stream changes on its way: the median and the greatest of short windows, and the plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streambench.errors import StreambenchError
from streambench.lab.figures.caption import MEASURED, origin, put_under
from streambench.lab.figures.files import save, save_rows
from streambench.lab.figures.lines import TEXT, frame, look, seconds
from streambench.lab.record.summary import duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "changes"
WIDTH, HEIGHT, EDGE = 9.2, 1.75, 0.45  # inches; the height is that of a panel
TICKS = 1.02  # where the plans' ticks stand, above the panel
LEAST = 1e-9  # seconds: on a logarithmic axis there is no 0

Track = Mapping[str, Any]


def draw(document: Mapping[str, Any], out: Path) -> list[Path]:
    """Write changes.png, changes.svg and changes.csv; returns their paths.

    Raises StreambenchError where no run was followed over time.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    changing = tracks(document)
    if not changing:
        raise StreambenchError("there is nothing to draw: the result was measured without the section `changes`")
    return [*save(figure(changing, caption(document)), out, NAME), save_rows(points(changing), out, NAME)]


def tracks(document: Mapping[str, Any]) -> list[Track]:
    """Of all cases of a result of perf."""
    return [track for each in document["runs"] for track in each.get("tracks", ())]


def points(changing: Sequence[Track]) -> list[dict[str, Any]]:
    """The windows' rows, with the plan that was in force at the middle of each."""
    return [
        {"track": each["name"], "seconds": at, "median": middle, "greatest": most, "plan": _plan_at(each, at)}
        for each in changing
        for at, middle, most in zip(each["seconds"], each["median"], each["greatest"], strict=True)
    ]


def caption(document: Mapping[str, Any]) -> str:
    """Machine, version, date and method, in sentences."""
    return (
        f"{origin(document, data=False)} {text()} Of all repeats the one with the median worst latency. "
        f"{MEASURED}; every run's output sequence was checked."
    )


def text() -> str:
    """What is drawn, in sentences."""
    return (
        "Latency from a tuple's arrival until the sink has processed it, at a rate: median and greatest of the markers "
        "in short windows. Upright lines: the stream changes. Ticks above: another plan was chosen. Dashed: the band "
        "within which latency counts as back."
    )


def figure(changing: Sequence[Track], below: str) -> Figure:
    """A panel for each, one under the other; ``below``: the caption."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(WIDTH, 1.0))
    foot = put_under(drawn, below) if below else 0.0
    height = len(changing) * (HEIGHT + EDGE) + EDGE + foot
    drawn.set_figheight(height)
    grid = drawn.subplots(len(changing), 1, squeeze=False).ravel()
    for axes, each in zip(grid, changing, strict=True):
        _panel(axes, each)
    grid[-1].set_xlabel("seconds from the start", fontsize=9)
    handles, labels = grid[0].get_legend_handles_labels()
    drawn.legend(handles, labels, loc="upper right", ncols=len(labels), frameon=False, fontsize=8)
    drawn.subplots_adjust(
        left=0.09, right=0.98, top=1 - EDGE / height, bottom=(foot + EDGE) / height, hspace=EDGE / HEIGHT + 0.1
    )
    return drawn


def summary(changing: Sequence[Track]) -> str:
    """What the figure shows, in words."""
    parts = []
    for each in changing:
        worst = max(each["greatest"], default=0.0)
        changes = ", ".join(f"{what} at {duration(at)}" for at, what in each["changes"])
        parts.append(f"{each['name']}: {changes}; worst latency {duration(worst)}; {len(each['plans'])} plans.")
    return " ".join(parts)


def _panel(axes: Axes, track: Track) -> None:
    from matplotlib.ticker import FuncFormatter

    for number, (name, width) in enumerate((("median", 1.6), ("greatest", 0.7))):
        style = look(number)
        values = [max(LEAST, each) for each in track[name]]
        axes.plot(track["seconds"], values, color=style["color"], linewidth=width, label=name, zorder=3 - number)
    for at, what in track["changes"]:
        axes.axvline(at, color="0.3", linewidth=1, zorder=1)
        axes.annotate(what, (at, 1), (3, -8), xycoords=("data", "axes fraction"), textcoords="offset points",
                      fontsize=7.5, color=TEXT)  # fmt: skip
    chosen = [at for at, _ in track["plans"]]
    axes.plot(chosen, [TICKS] * len(chosen), linestyle="", marker="|", markersize=6, color=look(2)["color"],
              transform=axes.get_xaxis_transform(), clip_on=False, label="a plan is chosen")  # fmt: skip
    axes.axhline(track["band"], color="0.35", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    axes.set_yscale("log")
    axes.set_xlim(0, max(track["seconds"], default=1.0))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: seconds(value)))
    axes.set_title(track["name"], fontsize=9, loc="left", pad=8)
    axes.set_ylabel("from arrival", fontsize=8)
    frame(axes)


def _plan_at(track: Track, seconds: float) -> str:
    chosen = [plan for at, plan in track["plans"] if at <= seconds]
    return str(chosen[-1]) if chosen else ""

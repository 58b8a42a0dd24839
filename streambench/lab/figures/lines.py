"""How lines look: each has a marker and a dash of its own and a colour of its own lightness, so that grey is enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#000000", "#0050b0", "#c8501e", "#2e8b7a", "#b06ab3", "#7a5c00", "#5b8ff9", "#9aa52a")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
DASHES = (
    *((0, ()), (0, (6, 1.5)), (0, (2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (1, 1))),
    *((0, (9, 2)), (0, (4, 1.5, 1.2, 1.5, 1.2, 1.5)), (0, (3, 3))),
)
SIMULATED = ", simulated"
"""What the name of a simulated line ends with; before it stands that of the measured one."""
TEXT, MUTED, GRID = "0.25", "0.45", "0.9"


def look(number: int) -> dict[str, Any]:
    """How the line of this number is drawn; from the ninth on with hollow markers."""
    place = number % len(MARKERS)
    filled = COLOURS[place] if number < len(MARKERS) else "white"
    line = {"color": COLOURS[place], "linestyle": DASHES[place], "linewidth": 1.4}
    return {
        **line,
        "marker": MARKERS[place],
        "markersize": 5.5,
        "markerfacecolor": filled,
        "capsize": 2.5,
        "elinewidth": 1,
    }


def look_of(line: str, lines: Sequence[str]) -> dict[str, Any]:
    """How a line is drawn: by its place among all ``lines``; simulated, as the measured one, but hollow and dashed."""
    if not line.endswith(SIMULATED):
        return look(lines.index(line))
    measured_look = look(lines.index(line.removesuffix(SIMULATED)))
    return {
        **measured_look,
        "linestyle": (0, (3, 2)),
        "linewidth": 1.0,
        "markerfacecolor": "white",
        "markeredgewidth": 1.0,
    }


def bars(
    axes: Axes,
    places: Sequence[float],
    rows: Sequence[Mapping[str, Any] | None],
    name: str,
    look: Mapping[str, Any],
) -> None:
    """Points with error bars down to `<name>_low` and up to `<name>_high`; none where a value has no interval."""
    heights, below, above = [], [], []
    for row in rows:
        height = math.nan if row is None or row[name] is None else float(row[name])
        low, high = (None, None) if row is None else (row[f"{name}_low"], row[f"{name}_high"])
        heights.append(height)
        below.append(0.0 if low is None else max(0.0, height - low))
        above.append(0.0 if high is None else max(0.0, high - height))
    if heights:
        axes.errorbar(places, heights, yerr=[below, above], **look)


def frame(axes: Axes) -> None:
    """No box; horizontal lines only."""
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def logarithmic(axes: Axes, unit: Callable[[float], str], subs: Sequence[float] = (1, 2, 5), **more: Any) -> None:
    """A logarithmic y axis, labelled at 1, 2 and 5, or what else ``subs`` says."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=subs, **more))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: unit(value)))


def plain(value: float) -> str:
    """A count with its unit: 12 M."""
    for factor, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= factor:
            return f"{value / factor:g}{unit}"
    return f"{value:g}"


def seconds(value: float) -> str:
    """A time with its unit: 20 ms."""
    for factor, unit in ((1.0, " s"), (1e-3, " ms"), (1e-6, " µs")):
        if value >= 0.9999 * factor:
            return f"{value / factor:g}{unit}"
    return "0" if value == 0 else f"{value / 1e-9:g} ns"

"""The single runs behind a median: small translucent points, coloured by the cores' distance where that matters.

On a virtual machine the host moves cores, and runs with several workers fall into two groups: near cores, far cores. A
median then says little; the points say which runs had which cores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streambench.host.core_distance import MOVED
from streambench.lab.figures.lines import TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE, ALPHA = 11, 0.5
SCALE_HEIGHT = 0.32  # inches
LIGHTEST = 0.85  # of matplotlib's "plasma": dark is near, light is far, in grey as well


@dataclass(frozen=True)
class Distances:
    """The least and the greatest distance of a figure's runs, nanoseconds; None where none was measured."""

    least: float | None
    greatest: float | None

    @classmethod
    def of(cls, rows: Iterable[Sequence[float | None] | None]) -> Distances:
        """Of the distances in each of ``rows``."""
        known = [each for row in rows for each in row or () if each is not None]
        return cls(min(known), max(known)) if known else cls.none()

    @classmethod
    def none(cls) -> Distances:
        """Of runs whose cores' distance is not known."""
        return cls(None, None)

    @property
    def grouped(self) -> bool:
        """Did the cores move so far that runs fall into groups?"""
        return self.least is not None and self.greatest is not None and self.greatest >= MOVED * self.least

    def colours(self) -> Any:
        """From a distance to a colour: matplotlib's ScalarMappable."""
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import ListedColormap, LogNorm

        assert self.least is not None
        assert self.greatest is not None
        shades = [colormaps["plasma"](LIGHTEST * step / 255) for step in range(256)]
        return ScalarMappable(LogNorm(self.least, self.greatest), ListedColormap(shades))

    def draw_scale(self, figure: Figure, bottom: float) -> None:
        """The colours' scale, at that height of the figure; nothing where they are not used."""
        from matplotlib.ticker import FixedLocator, NullLocator

        if not self.grouped:
            return
        assert self.least is not None
        assert self.greatest is not None
        height = figure.get_figheight()
        axes = figure.add_axes((0.44, bottom + 0.13 / height, 0.3, 0.09 / height), label="distance")
        bar = figure.colorbar(self.colours(), cax=axes, orientation="horizontal")
        middle = (self.least * self.greatest) ** 0.5
        shown = [self.least, middle, self.greatest]
        bar.ax.xaxis.set_minor_locator(NullLocator())
        bar.ax.xaxis.set_major_locator(FixedLocator(shown))
        bar.ax.set_xticklabels([f"{each:.0f} ns" for each in shown])
        bar.ax.tick_params(labelsize=7, length=2, pad=1)
        bar.outline.set_visible(False)
        words = "single runs, by the cores' distance (a cache line's round trip):"
        axes.annotate(
            words, (0, 0.5), (-6, 0), xycoords="axes fraction", textcoords="offset points", fontsize=7, color=TEXT,
            ha="right", va="center",
        )  # fmt: skip


def scatter(
    axes: Axes,
    x: float,
    values: Sequence[float | None] | None,
    distances: Sequence[float | None] | None,
    colour: Any,
    scale: Distances,
    transform: Any = None,
) -> None:
    """The runs behind one median, at ``x``; in ``colour`` where the distance is not known or does not matter."""
    if values is None or len(values) < 2:
        return
    colours: list[Any] = [colour] * len(values)
    if scale.grouped and distances is not None:
        shades = scale.colours()
        colours = [colour if each is None else shades.to_rgba(each) for each in distances]
    more = {} if transform is None else {"transform": transform}
    heights = [math.nan if value is None else value for value in values]
    axes.scatter([x] * len(values), heights, s=SIZE, c=colours, alpha=ALPHA, linewidths=0, zorder=3, **more)


def spaced(values: Sequence[float | None] | None) -> str | None:
    """The values as a CSV file holds them: with spaces between, ``-`` for one that is not known; None without any."""
    if values is None or not any(value is not None for value in values):
        return None
    return " ".join("-" if value is None else f"{value!r}" for value in values)

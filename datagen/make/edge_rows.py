"""The edge rows of some data: every edge that fits is laid, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from streambench.datagen import model
from streambench.datagen.make.ad_edges import AD_EDGES
from streambench.datagen.make.click_edges import CLICK_EDGES
from streambench.datagen.make.edges import CAMPAIGNS, CATEGORIES, AdEvent, Click, Edge, Layout, Line
from streambench.datagen.make.sales_edges import SALES_EDGES


@dataclass(frozen=True)
class Edges:
    """The edge rows of some data: `rows` counts them by the edge's name, tickets are in the order of their numbers."""

    edges: tuple[Edge, ...] = ()
    rows: tuple[int, ...] = ()
    clicks: tuple[Click, ...] = ()
    tickets: tuple[tuple[Line, ...], ...] = ()
    events: tuple[AdEvent, ...] = ()

    @property
    def items(self) -> int:
        """Items that only edges name."""
        return len(CATEGORIES) if self.edges else 0

    @property
    def ads(self) -> int:
        """Ads that only edges name, and that there are."""
        return len(CAMPAIGNS) if self.edges else 0

    @property
    def orders(self) -> int:
        """Web orders among the clicks."""
        return len({click.sales for click in self.clicks} - {None})

    @property
    def counts(self) -> dict[str, int]:
        """Rows of the fact tables by the edge's name."""
        return {edge.name: rows for edge, rows in zip(self.edges, self.rows, strict=True)}


@cache
def edges_of(options: model.Options) -> Edges:
    """The edges of data with these options; none where they are switched off."""
    if not options.edges:
        return Edges()
    layout = Layout(options)
    fitting = tuple(edge for edge in (*CLICK_EDGES, *SALES_EDGES, *AD_EDGES) if edge.days <= options.days)
    rows = []
    for edge in fitting:
        before = _rows(layout)
        edge.lay(layout)
        rows.append(_rows(layout) - before)
    tickets = sorted(layout.tickets, key=lambda lines: lines[0].second)
    return Edges(fitting, tuple(rows), tuple(layout.clicks), tuple(tickets), tuple(layout.events))


def _rows(layout: Layout) -> int:
    return len(layout.clicks) + sum(map(len, layout.tickets)) + len(layout.events)

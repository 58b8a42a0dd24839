"""The edge rows of some data: every edge that fits is laid, one after the other, above the keys that are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from streambench.datagen import model
from streambench.datagen.make.ad_edges import AD_EDGES
from streambench.datagen.make.click_edges import CLICK_EDGES
from streambench.datagen.make.edges import CAMPAIGNS, CATEGORIES, DAY, AdEvent, Click, Edge, Line
from streambench.datagen.make.sales_edges import SALES_EDGES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Edges:
    """The edge rows of some data, with keys and seconds of its own; tickets are in the order of their numbers."""

    edges: tuple[Edge, ...] = ()
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
        return {edge.name: edge.rows for edge in self.edges}


def as_frame(spark: SparkSession, rows: Iterable[Sequence[int | str | None]]) -> DataFrame:
    """Rows of edges, of one task: numbers are bigints, None is null, a text is SQL."""

    def sql(value: int | str | None) -> str:
        return "NULL" if value is None else value if isinstance(value, str) else f"{value}L"

    values = ", ".join(f"({', '.join(map(sql, row))})" for row in rows)
    return spark.sql(f"SELECT * FROM VALUES {values}").coalesce(1)


@cache
def edges_of(options: model.Options) -> Edges:
    """The edges of data with these options; none where they are switched off."""
    if not options.edges:
        return Edges()
    sizes, seconds = options.sizes, options.days * DAY
    fitting = tuple(edge for edge in (*CLICK_EDGES, *SALES_EDGES, *AD_EDGES) if edge.days <= options.days)

    def item(key: int) -> int:
        return key if key >= 0 else sizes.items + ~key

    clicks: list[Click] = []
    orders = sizes.orders
    for new_user, visits in enumerate((each for edge in fitting for each in edge.users), sizes.customers):
        for click in visits:
            key = None if click.item is None else item(click.item)
            sales = None if click.sales is None else orders + click.sales
            user = new_user if click.user is None else click.user
            clicks.append(replace(click, second=click.second % seconds, item=key, sales=sales, user=user))
        orders += len({click.sales for click in visits} - {None})
    tickets = [
        tuple(replace(line, second=line.second % seconds, item=item(line.item)) for line in ticket)
        for edge in fitting
        for ticket in edge.tickets
    ]
    tickets.sort(key=lambda lines: lines[0].second)
    return Edges(fitting, tuple(clicks), tuple(tickets), tuple(event for edge in fitting for event in edge.events))

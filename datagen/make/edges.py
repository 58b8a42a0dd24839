"""Rows at the edges of what the queries compare: few, laid on purpose, so that a wrong operator gives a wrong answer.

Random data hardly ever have a gap of exactly an hour. Each `Edge` names one such case, declares its rows, and says how
to find it in data. Their clicks are of users, their tickets of customers, and their ad events of ads, above all that
are drawn (or of no ad); so nothing comes between them, and the distributions can be measured without them.

Seconds count from the stream's beginning; below 0 they count from its end.
"""

from __future__ import annotations

from dataclasses import dataclass

DAY = 86_400
LAST = -1  # the stream's last second; orders and most tickets lie there, so that their numbers go on ascending
# Categories of the items that only edges name, in the order of their keys; the first has none.
CATEGORIES = (None, 1, 1, 1, 1, 2, 10, 11, 12, 13, 14, 15)
# In an edge's rows these items are numbers below 0.
NO_CATEGORY, BOUGHT, BOUGHT_BY_MANY, PAIRED, PAIRED_TOO, PAIRED_LESS = range(-1, -7, -1)
FLAT, FLAT_IN_KIT, FALLING, UNTIL_LAST_DATE, ONE_DAY, CREDIT = range(-7, -13, -1)
KIT_STORE = 10
# Campaigns of the ads that only edges name, in the order of their keys; the first has none. Of the two that tie the ad
# with the lower key has the higher campaign.
CAMPAIGNS = (None, 100, 101, 102, 104, 103)
NO_CAMPAIGN, BOUNDARY, GAP, ONE_WINDOW, TIED, TIED_TOO = range(6)
UNKNOWN_AD = len(CAMPAIGNS)


@dataclass(frozen=True)
class Click:
    """A row of web_clickstreams. `page` is a page's type, "first" for page 0, or None.

    In an edge, `sales` numbers its user's orders from 0, and a `user` of None is a new one.
    """

    second: int
    item: int | None
    page: str | None = "welcome"
    sales: int | None = None
    user: int | None = None


@dataclass(frozen=True)
class Price:
    """What a line costs, in cents; the other columns follow from these."""

    quantity: int = 1
    wholesale: int = 100
    list: int = 100
    sales: int = 100
    coupon: int = 0


@dataclass(frozen=True)
class Line:
    """A row of store_sales, of a ticket of the kit's store."""

    second: int
    item: int
    price: Price = Price()


@dataclass(frozen=True)
class AdEvent:
    """A row of ad_events: a view unless `type` is another code. `ad` is its place among those of edges, or None."""

    second: int
    ad: int | None
    type: int | None = 0
    user: int | None = 0
    page: int = 0


@dataclass(frozen=True)
class Edge:
    """One case: its name, SQL that counts it (see `edge_check` for the tables), and its rows: each user's clicks, each
    ticket's lines, and ad events.

    A stream of fewer than `days` days has no room for it.
    """

    name: str
    count_sql: str
    users: tuple[tuple[Click, ...], ...] = ()
    tickets: tuple[tuple[Line, ...], ...] = ()
    events: tuple[AdEvent, ...] = ()
    days: int = 1

    @property
    def rows(self) -> int:
        """How many rows it lays."""
        return sum(map(len, (*self.users, *self.tickets, self.events)))

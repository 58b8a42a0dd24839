"""Rows at the edges of what the queries compare: few, laid on purpose, so that a wrong operator gives a wrong answer.

Random data hardly ever have a gap of exactly an hour. Each `Edge` names one such case, lays its rows, and says how to
find it in data. Their clicks are of users, their tickets of customers, and their ad events of ads, above all that are
drawn (or of no ad); so nothing comes between them, and the distributions can be measured without them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from streambench.datagen import model

DAY = 86_400
# Categories of the items that only edges name, in the order of their keys; the first has none.
CATEGORIES = (None, 1, 1, 1, 1, 2, 10, 11, 12, 13, 14, 15)
NO_CATEGORY, BOUGHT, BOUGHT_BY_MANY, PAIRED, PAIRED_TOO, PAIRED_LESS = range(6)
FLAT, FLAT_IN_KIT, FALLING, UNTIL_LAST_DATE, ONE_DAY, CREDIT = range(6, 12)
KIT_STORE = 10
# Campaigns of the ads that only edges name, in the order of their keys; the first has none. Of the two that tie the ad
# with the lower key has the higher campaign.
CAMPAIGNS = (None, 100, 101, 102, 104, 103)
NO_CAMPAIGN, BOUNDARY, GAP, ONE_WINDOW, TIED, TIED_TOO = range(6)
UNKNOWN_AD = len(CAMPAIGNS)


@dataclass(frozen=True)
class Click:
    """A row of web_clickstreams. `page` is a page's type, "first" for page 0, or None."""

    second: int
    user: int
    item: int | None
    page: str | None = "welcome"
    sales: int | None = None


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


@dataclass
class Layout:
    """Where edges go: seconds count from the stream's beginning, and keys begin above those that are drawn."""

    options: model.Options
    clicks: list[Click] = field(default_factory=list)
    tickets: list[tuple[Line, ...]] = field(default_factory=list)
    events: list[AdEvent] = field(default_factory=list)
    _users: int = 0
    _orders: int = 0

    @property
    def last(self) -> int:
        """The stream's last second; orders and most tickets lie there, so that their numbers go on ascending."""
        return self.options.days * DAY - 1

    def item(self, place: int) -> int:
        """The key of an item that only edges name."""
        return self.options.sizes.items + place

    def user(self) -> int:
        """A new user."""
        self._users += 1
        return self.options.sizes.customers + self._users - 1

    def order(self, user: int, *items: int) -> None:
        """An order of `user`, in the stream's last second."""
        number = self.options.sizes.orders + self._orders
        self._orders += 1
        self.clicks += [Click(self.last, user, item, sales=number) for item in items]

    def ticket(self, *lines: Line) -> None:
        """A ticket with these lines."""
        self.tickets.append(lines)


@dataclass(frozen=True)
class Edge:
    """One case: its name, how its rows are laid, and SQL that counts it (see `edge_check` for the tables).

    A stream of fewer than `days` days has no room for it.
    """

    name: str
    lay: Callable[[Layout], None]
    found: str
    days: int = 1

"""The edges of store_sales: hours, repeated and tied items, and the days of Q15's lines."""

from __future__ import annotations

from streambench.datagen.make.click_edges import HOT, NOON
from streambench.datagen.make.edges import (
    CATEGORIES,
    CREDIT,
    DAY,
    FALLING,
    FLAT,
    FLAT_IN_KIT,
    NO_CATEGORY,
    ONE_DAY,
    PAIRED,
    PAIRED_LESS,
    PAIRED_TOO,
    UNTIL_LAST_DATE,
    Edge,
    Layout,
    Line,
    Price,
)

# Pairs of the hot items are among an hour's top ones where there are many tickets; where pairs hardly ever repeat,
# those of the lowest items are.
FIRSTS, SECONDS = (0, HOT[0]), (1, HOT[1])
LARGEST = Price(quantity=100, wholesale=10_000, list=20_000, sales=20_000)
FREE = Price(coupon=100)
CREDITED = Price(quantity=5, coupon=1_000)
# The kit's range of dates is 2001-09-02 to 2002-09-02; the stream begins on 2001-09-01.
FIRST_IN_KIT, LAST_IN_KIT = 1, 366


def _in_two_hours(layout: Layout) -> None:
    """The pair belongs to the hour of the line that brings its second item."""
    layout.ticket(*(Line(NOON - 1, item) for item in FIRSTS), *(Line(NOON, item) for item in SECONDS))


def _again_in_next_hour(layout: Layout) -> None:
    """The item's second line, an hour later, brings nothing new."""
    after = NOON + 3_600
    layout.ticket(*(Line(after - 1, item) for item in FIRSTS + SECONDS), *(Line(after, item) for item in FIRSTS))


def _item_twice(layout: Layout) -> None:
    layout.ticket(*(Line(layout.last, item) for item in 2 * FIRSTS + SECONDS))


def _hundredth_pair(layout: Layout) -> None:
    """182 pairs of one hour with the same count; where there is hardly anything else, its 100th place is among them."""
    for first in (1, 15):
        layout.ticket(*(Line(layout.last, item) for item in range(first, first + 14)))


def _fifty(layout: Layout) -> None:
    """The kit wants pairs that are sold more than fifty times."""
    items = [layout.item(place) for place in (PAIRED, PAIRED_TOO, PAIRED_LESS)]
    for ticket in range(51):
        layout.ticket(*(Line(layout.last, item) for item in (items if ticket else items[:2])))


def _sold(layout: Layout, place: int, *sales: tuple[int, Price]) -> None:
    for second, price in sales:
        layout.ticket(Line(second, layout.item(place), price))


def _flat(layout: Layout) -> None:
    _sold(layout, FLAT, (0, Price()), (layout.last, Price()))


def _flat_in_kit(layout: Layout) -> None:
    _sold(layout, FLAT_IN_KIT, (FIRST_IN_KIT * DAY, Price()), (layout.last, Price()))


def _first_date(layout: Layout) -> None:
    """In the kit's range it falls; with the day before it would fall less, without its first day there is no line."""
    begin = FIRST_IN_KIT * DAY
    _sold(layout, FALLING, (begin - 1, Price()), (begin, LARGEST), (layout.last, Price()))


def _last_date(layout: Layout) -> None:
    end = (LAST_IN_KIT + 1) * DAY
    _sold(layout, UNTIL_LAST_DATE, (FIRST_IN_KIT * DAY, LARGEST), (end - 1, Price()), (end, LARGEST))


def _one_day(layout: Layout) -> None:
    _sold(layout, ONE_DAY, (layout.last, Price()))


def _credit(layout: Layout) -> None:
    _sold(layout, CREDIT, (0, FREE), (layout.last, CREDITED))


def _no_category(layout: Layout) -> None:
    """Sales of no category fall, too."""
    layout.ticket(Line(0, 0), Line(0, layout.item(NO_CATEGORY), LARGEST))
    _sold(layout, NO_CATEGORY, (layout.last, Price()))


def _days_of(place: int) -> str:
    return f"FROM daily WHERE category = {CATEGORIES[place]}"


SALES_EDGES = (
    Edge(
        "a ticket whose lines lie in two hours",
        _in_two_hours,
        """SELECT count(*) FROM (SELECT ticket FROM line GROUP BY ticket
             HAVING min(ts) // 3600 < max(ts) // 3600 AND count(DISTINCT item) = count(*))""",
    ),
    Edge(
        "an item again on its ticket in the next hour",
        _again_in_next_hour,
        "SELECT count(*) FROM line AS a JOIN line AS b USING (ticket, item) WHERE a.ts // 3600 < b.ts // 3600",
    ),
    Edge(
        "an item twice on a ticket in one second",
        _item_twice,
        "SELECT count(*) FROM (SELECT ticket FROM line GROUP BY ticket, item, ts HAVING count(*) > 1)",
    ),
    Edge(
        "182 pairs of one hour that tie",
        _hundredth_pair,
        """SELECT count(*) // 182 FROM line AS a JOIN line AS b USING (ticket, ts)
           WHERE a.item < b.item AND a.ticket IN (SELECT ticket FROM line GROUP BY ticket HAVING count(*) = 14)""",
    ),
    Edge(
        "pairs of the kit's stores and categories sold 50 and 51 times",
        _fifty,
        """SELECT least(count(*) FILTER (n = 50), count(*) FILTER (n = 51)) FROM (
             SELECT count(*) AS n FROM line AS a JOIN line AS b USING (ticket)
             WHERE a.item < b.item AND a.category <= 3 AND b.category <= 3 GROUP BY a.item, b.item)""",
    ),
    Edge(
        "a category sold on the first and the last day only, for the same",
        _flat,
        f"SELECT count(*) FILTER (days = 2 AND least = most AND on_first AND on_last) {_days_of(FLAT)}",
        days=2,
    ),
    Edge(
        "a category sold on the kit's first date and the last day only, for the same",
        _flat_in_kit,
        f"SELECT count(*) FILTER (days = 2 AND least = most AND on_kit_first AND on_last) {_days_of(FLAT_IN_KIT)}",
        days=3,
    ),
    Edge(
        "a category sold on the kit's first date and the day before",
        _first_date,
        f"SELECT count(*) FILTER (on_first AND on_kit_first) {_days_of(FALLING)}",
        days=3,
    ),
    Edge(
        "a category sold on the kit's last date and the day after",
        _last_date,
        f"SELECT count(*) FILTER (on_kit_last AND after_kit) {_days_of(UNTIL_LAST_DATE)}",
        days=LAST_IN_KIT + 2,
    ),
    Edge(
        "a category sold on one day only",
        _one_day,
        f"SELECT count(*) FILTER (days = 1) {_days_of(ONE_DAY)}",
    ),
    Edge(
        "net paid of nothing, and less",
        _credit,
        "SELECT least(count(*) FILTER (net_paid = 0), count(*) FILTER (net_paid < 0)) FROM line",
    ),
    Edge(
        "an item without category, and item 0, sold",
        _no_category,
        "SELECT least(count(*) FILTER (category IS NULL), count(*) FILTER (item = 0)) FROM line",
    ),
)

"""The edges of store_sales: hours, repeated and tied items, and the days of Q15's lines."""

from __future__ import annotations

from streambench.datagen.make.click_edges import HOT, HOUR, NOON
from streambench.datagen.make.edges import (
    CATEGORIES,
    CREDIT,
    DAY,
    FALLING,
    FLAT,
    FLAT_IN_KIT,
    LAST,
    NO_CATEGORY,
    ONE_DAY,
    PAIRED,
    PAIRED_LESS,
    PAIRED_TOO,
    UNTIL_LAST_DATE,
    Edge,
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
_KIT_BEGINS, _KIT_ENDS = FIRST_IN_KIT * DAY, (LAST_IN_KIT + 1) * DAY


def _at(second: int, *items: int) -> tuple[Line, ...]:
    return tuple(Line(second, item) for item in items)


def _sold(item: int, *sales: tuple[int, Price]) -> tuple[tuple[Line, ...], ...]:
    return tuple((Line(second, item, price),) for second, price in sales)


def _of_category(name: str, counted: str, item: int, *sales: tuple[int, Price], days: int = 1) -> Edge:
    """A category, which no other item has, sold on some days only."""
    counting = f"SELECT count(*) FILTER ({counted}) FROM daily WHERE category = {CATEGORIES[~item]}"
    return Edge(f"a category sold on {name}", counting, tickets=_sold(item, *sales), days=days)


SALES_EDGES = (
    Edge(  # the pair belongs to the hour of the line that brings its second item
        "a ticket whose lines lie in two hours",
        """SELECT count(*) FROM (SELECT ticket FROM line GROUP BY ticket
             HAVING min(ts) // 3600 < max(ts) // 3600 AND count(DISTINCT item) = count(*))""",
        tickets=((*_at(NOON - 1, *FIRSTS), *_at(NOON, *SECONDS)),),
    ),
    Edge(  # the item's second line, an hour later, brings nothing new
        "an item again on its ticket in the next hour",
        "SELECT count(*) FROM line AS a JOIN line AS b USING (ticket, item) WHERE a.ts // 3600 < b.ts // 3600",
        tickets=((*_at(NOON + HOUR - 1, *FIRSTS, *SECONDS), *_at(NOON + HOUR, *FIRSTS)),),
    ),
    Edge(
        "an item twice on a ticket in one second",
        "SELECT count(*) FROM (SELECT ticket FROM line GROUP BY ticket, item, ts HAVING count(*) > 1)",
        tickets=(_at(LAST, *FIRSTS, *FIRSTS, *SECONDS),),
    ),
    Edge(  # where there is hardly anything else, the hour's 100th place is among them
        "182 pairs of one hour that tie",
        """SELECT count(*) // 182 FROM line AS a JOIN line AS b USING (ticket, ts)
           WHERE a.item < b.item AND a.ticket IN (SELECT ticket FROM line GROUP BY ticket HAVING count(*) = 14)""",
        tickets=(_at(LAST, *range(1, 15)), _at(LAST, *range(15, 29))),
    ),
    Edge(  # the kit wants pairs that are sold more than fifty times
        "pairs of the kit's stores and categories sold 50 and 51 times",
        """SELECT least(count(*) FILTER (n = 50), count(*) FILTER (n = 51)) FROM (
             SELECT count(*) AS n FROM line AS a JOIN line AS b USING (ticket)
             WHERE a.item < b.item AND a.category <= 3 AND b.category <= 3 GROUP BY a.item, b.item)""",
        tickets=(_at(LAST, PAIRED, PAIRED_TOO), *50 * (_at(LAST, PAIRED, PAIRED_TOO, PAIRED_LESS),)),
    ),
    _of_category(
        "the first and the last day only, for the same",
        "days = 2 AND least = most AND on_first AND on_last",
        *(FLAT, (0, Price()), (LAST, Price())),
        days=2,
    ),
    _of_category(
        "the kit's first date and the last day only, for the same",
        "days = 2 AND least = most AND on_kit_first AND on_last",
        *(FLAT_IN_KIT, (_KIT_BEGINS, Price()), (LAST, Price())),
        days=3,
    ),
    # In the kit's range it falls; with the day before it would fall less, without its first day there is no line.
    _of_category(
        "the kit's first date and the day before",
        "on_first AND on_kit_first",
        *(FALLING, (_KIT_BEGINS - 1, Price()), (_KIT_BEGINS, LARGEST), (LAST, Price())),
        days=3,
    ),
    _of_category(
        "the kit's last date and the day after",
        "on_kit_last AND after_kit",
        *(UNTIL_LAST_DATE, (_KIT_BEGINS, LARGEST), (_KIT_ENDS - 1, Price()), (_KIT_ENDS, LARGEST)),
        days=LAST_IN_KIT + 2,
    ),
    _of_category("one day only", "days = 1", ONE_DAY, (LAST, Price())),
    Edge(
        "net paid of nothing, and less",
        "SELECT least(count(*) FILTER (net_paid = 0), count(*) FILTER (net_paid < 0)) FROM line",
        tickets=_sold(CREDIT, (0, FREE), (LAST, CREDITED)),
    ),
    Edge(  # sales of no category fall, too
        "an item without category, and item 0, sold",
        "SELECT least(count(*) FILTER (category IS NULL), count(*) FILTER (item = 0)) FROM line",
        tickets=((Line(0, 0), Line(0, NO_CATEGORY, LARGEST)), *_sold(NO_CATEGORY, (LAST, Price()))),
    ),
)

"""One day that is replayed: sessions, rings, hours and days that cross from lap to lap, and those that just do not."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from small_data import (
    ADS,
    DAY,
    KIT_DATES,
    AdEvent,
    Click,
    Sale,
    SmallData,
    click_order,
    event_order,
    sale_order,
    write,
)

NOON = DAY // 2
LAST = DAY - 1


def one_day(path: Path, date: int = KIT_DATES[0]) -> SmallData:
    """A stream of one day, which lies in the kit's range of dates."""
    clicks = [
        *_clicks(1, [(0, None, 10_001, 0), (LAST, None, 4, 1)]),  # a session over midnight, of 1 s
        *_clicks(2, [(1800, None, 3, 0), (DAY - 1800, None, 10_001, 1)]),  # a gap of exactly an hour from lap to lap
        *_clicks(3, [(1801, None, 3, 0), (DAY - 1800, None, 10_001, 4)]),  # and of a second more
        *_clicks(4, [(NOON, 5, 10_001, None)]),  # one click a lap: its ring is full in lap 6
        *_clicks(5, [(NOON, None, 3, 3), (NOON, 6, 10_001, 2), (NOON, 6, 10_001, 2), (NOON, 6, 4, 2)]),  # ties
        *_clicks(6, [(hour * 3600, None, 3 + hour % 3, hour % 7) for hour in range(24)]),  # one session for ever
        *_clicks(7, [(NOON, None, None, 0), (NOON + 1, 0, 10_001, 3)]),  # an item that is null, order number 0
        Click(0, NOON, None, 7, 10_001, 1),
    ]
    money = (Decimal("10.00"), Decimal("-3.50"), Decimal("0.01"))
    sales = [
        *(
            Sale(0, time, ticket, item, 10, money[item % 3])
            for time, ticket in ((0, 0), (3599, 1))
            for item in (3, 4, 5)
        ),
        *(Sale(0, 3600, 2, item, 20, money[item % 3]) for item in (3, 3, 4)),  # an item twice
        *(Sale(0, LAST, ticket, item, 10, money[item % 3]) for ticket in (3, 4) for item in (4, 5, 10_001)),
        Sale(0, NOON, 2, 5, None, Decimal("1.00")),
    ]
    sales = sorted((sale._replace(date=date) for sale in sales), key=sale_order)
    clicks = sorted((click._replace(date=date) for click in clicks), key=click_order)
    categories: dict[int, int | None] = {3: 1, 4: 2, 5: None, 10_001: 3}
    pages = {0: "dynamic", 1: "order", 2: "review", 3: "dynamic", 4: "order", 5: None, 6: "welcome"}
    # Ad 0's views end a lap and begin the next; ad 1's are in one window a lap, ad 20's in two that meet.
    views = [(0, 0), (LAST, 0), (NOON, 1), (NOON + 9, 1), (NOON + 9, 20), (NOON + 10, 20), (NOON + 10, 20)]
    events = sorted((AdEvent(date, time, 0, 0, ad, 0) for time, ad in views), key=event_order)
    write(path, sales, clicks, categories, pages, events, ADS)
    return SmallData(path, sales, clicks, categories, pages, events, ADS)


def _clicks(user: int, rows: list[tuple[int, int | None, int | None, int | None]]) -> list[Click]:
    return [Click(0, time, user, sales, item, page) for time, sales, item, page in rows]

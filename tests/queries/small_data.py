"""Small random data directories that press on the queries' corner cases; the same seed gives the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DAY = 86_400
KIT_DATES = (37_134, 37_499)
PAGE_TYPES = ("dynamic", "order", "review", "dynamic", "order", "welcome", None)
UNKNOWN_PAGE = 99
SOLO_ITEM, FLAT_ITEM, UNKNOWN_ITEM = 90, 91, 92  # sold on one day only; same sales every day; not in `item`
SMALL_GAPS = (0, 0, 1, 5, 60, 1800, 3599, 3600, 3601, 7200)
ADS: dict[int, int | None] = {**{ad: (7 * ad) % 4 for ad in range(12)}, 5: None, 20: 9, 21: 300}
UNKNOWN_AD = 99
EVENT_GAPS = (0, 1, 9, 10, 11, 35, DAY)
LARGE_GAPS = (DAY, 863_999, 864_000, 864_001)


class Sale(NamedTuple):
    """One line of store_sales."""

    date: int
    time: int
    ticket: int
    item: int
    store: int | None
    paid: Decimal


class Click(NamedTuple):
    """One line of web_clickstreams."""

    date: int
    time: int
    user: int | None
    sales: int | None
    item: int | None
    page: int | None


class AdEvent(NamedTuple):
    """One line of ad_events."""

    date: int
    time: int
    user: int | None
    page: int | None
    ad: int | None
    type: int | None


@dataclass(frozen=True)
class SmallData:
    """A data directory and its rows as Python sees them, in file order."""

    path: Path
    sales: list[Sale]
    clicks: list[Click]
    categories: dict[int, int | None]
    pages: dict[int, str | None]
    events: list[AdEvent]
    ads: dict[int, int | None]


def make(
    path: Path,
    seed: int,
    *,
    tickets: int = 400,
    users: int = 14,
    clicks_per_user: int = 60,
    events: int = 300,
    files: int = 3,
    tickets_ascend: bool = True,
    in_order: bool = True,
) -> SmallData:
    """Write all six tables under `path` and return what they hold.

    Odd seeds use many items (so that tops cut), even seeds few (so that counts grow past the kit's 50).
    Without `tickets_ascend`, tickets overlap in time and are numbered at random; without `in_order`, rows are shuffled.
    """
    random = np.random.default_rng(seed)
    items = [3, 4, 5, 9_999, 10_000, 10_001, 10_002, 10_003, *(range(20, 70) if seed % 2 else ())]
    categories: dict[int, int | None] = {item: int(random.integers(1, 5)) for item in items}
    categories[items[0]] = None
    categories |= {SOLO_ITEM: 7, FLAT_ITEM: 8, 10_001: 2}
    pages = {page: PAGE_TYPES[page % len(PAGE_TYPES)] for page in range(12)}
    first_date = KIT_DATES[int(random.integers(2))] - 3  # so that the kit's date range begins or ends inside
    sales = _sales(random, items, first_date, tickets, tickets_ascend)
    clicks = _clicks(random, items, first_date, users, clicks_per_user)
    shown = _events(np.random.default_rng((seed, 1)), first_date, events)
    if not in_order:
        sales = [sales[row] for row in random.permutation(len(sales))]
        clicks = [clicks[row] for row in random.permutation(len(clicks))]
        shown = [shown[row] for row in random.permutation(len(shown))]
    write(path, sales, clicks, categories, pages, shown, ADS, cuts=lambda rows: _cuts(random, rows, files))
    return SmallData(path, sales, clicks, categories, pages, shown, ADS)


def write(
    path: Path,
    sales: Sequence[Sale],
    clicks: Sequence[Click],
    categories: dict[int, int | None],
    pages: dict[int, str | None],
    events: Sequence[AdEvent] = (),
    ads: dict[int, int | None] | None = None,
    cuts: Callable[[int], list[int]] | None = None,
) -> None:
    """Write the tables; `cuts(rows)` gives the rows at which a fact table's next file begins."""
    tables = {
        "store_sales": sales_table(sales),
        "web_clickstreams": clicks_table(clicks),
        "item": pa.table(
            {
                "i_item_sk": pa.array(list(categories), pa.int64()),
                "i_category_id": pa.array(list(categories.values()), pa.int32()),
            }
        ),
        "web_page": pa.table(
            {
                "wp_web_page_sk": pa.array(list(pages), pa.int64()),
                "wp_type": pa.array(list(pages.values()), pa.string()),
            }
        ),
        "ad_events": events_table(events),
        "ads": pa.table(
            {
                "a_ad_sk": pa.array(list(ads or {}), pa.int64()),
                "a_campaign_sk": pa.array(list((ads or {}).values()), pa.int64()),
            }
        ),
    }
    for name, table in tables.items():
        (path / name).mkdir(parents=True)
        inner = (
            cuts(table.num_rows)
            if cuts is not None and name in {"store_sales", "web_clickstreams", "ad_events"}
            else []
        )
        edges = [0, *inner, table.num_rows]
        for part, (begin, end) in enumerate(pairwise(edges)):
            pq.write_table(table.slice(begin, end - begin), path / name / f"part-{part:05d}.parquet", row_group_size=97)


def sales_table(sales: Sequence[Sale]) -> pa.Table:
    """store_sales, as far as queries read it."""
    columns = list(zip(*sales, strict=True)) or [()] * len(Sale._fields)
    names = ("ss_sold_date_sk", "ss_sold_time_sk", "ss_ticket_number", "ss_item_sk", "ss_store_sk")
    table = {name: pa.array(column, pa.int64()) for name, column in zip(names, columns[:-1], strict=True)}
    return pa.table(table | {"ss_net_paid": pa.array(columns[-1], pa.decimal128(7, 2))})


def clicks_table(clicks: Sequence[Click]) -> pa.Table:
    """web_clickstreams, complete."""
    columns = list(zip(*clicks, strict=True)) or [()] * len(Click._fields)
    names = ("click_date_sk", "click_time_sk", "user_sk", "sales_sk", "item_sk", "web_page_sk")
    return pa.table({f"wcs_{name}": pa.array(column, pa.int64()) for name, column in zip(names, columns, strict=True)})


def events_table(events: Sequence[AdEvent]) -> pa.Table:
    """ad_events, complete."""
    columns = list(zip(*events, strict=True)) or [()] * len(AdEvent._fields)
    names = ("date_sk", "time_sk", "user_sk", "page_sk", "ad_sk", "event_type")
    return pa.table({f"ae_{name}": pa.array(column, pa.int64()) for name, column in zip(names, columns, strict=True)})


def sale_order(sale: Sale) -> tuple[int, ...]:
    """Replay order of store_sales."""
    return (sale.date * DAY + sale.time, sale.ticket, sale.item)


def click_order(click: Click) -> tuple[int, ...]:
    """Replay order of web_clickstreams, nulls first."""
    nullable = (click.user, click.sales, click.item, click.page)
    return (click.date * DAY + click.time, *(-1 if value is None else value for value in nullable))


def event_order(event: AdEvent) -> tuple[int, ...]:
    """Replay order of ad_events, nulls first."""
    nullable = (event.user, event.page, event.ad, event.type)
    return (event.date * DAY + event.time, *(-1 if value is None else value for value in nullable))


def _sales(
    random: np.random.Generator, items: list[int], first_date: int, tickets: int, tickets_ascend: bool
) -> list[Sale]:
    numbers = list(range(tickets)) if tickets_ascend else [int(n) for n in random.permutation(tickets)]
    trend = {item: float(random.uniform(-4, 4)) for item in items}
    stores = (10, 10, 20, 33, 40, 50, 5, None)
    start = first_date * DAY + int(random.integers(DAY))
    sales = []
    for ticket in numbers:
        start += int(random.choice((0, 1, 30, 600, 1800, 3600, 5 * 3600), p=(0.2, 0.2, 0.2, 0.2, 0.1, 0.08, 0.02)))
        store = stores[int(random.integers(len(stores)))]
        reach = int(random.choice((0, 9, 7200), p=(0.7, 0.2, 0.1)))
        offsets = sorted(int(offset) for offset in random.integers(0, reach + 1, random.integers(1, 9)))
        for offset in offsets:
            ts = start + offset
            item = int(random.choice(items))
            if random.random() < 0.02:
                item = UNKNOWN_ITEM
            cents = int(random.integers(-500, 9_900) + 100 * trend[item] * (ts // DAY - first_date)) if item < 92 else 7
            cents = max(-99_999, min(99_999, cents)) if item in trend else cents
            own = store if random.random() < 0.95 else stores[int(random.integers(len(stores)))]
            sales.append(Sale(ts // DAY, ts % DAY, ticket, item, own, Decimal(cents).scaleb(-2)))
        if tickets_ascend:
            start += offsets[-1] + 1  # the next ticket begins after this one's last line
    extra = tickets
    for date in sorted({sale.date for sale in sales}):
        extra += 1
        number = min((s.ticket for s in sales if s.date == date), default=extra) if tickets_ascend else extra
        time = min(sale.time for sale in sales if sale.date == date and sale.ticket == number) if tickets_ascend else 5
        sales.append(Sale(date, time, number, FLAT_ITEM, 10, Decimal("10.00")))
        if date == first_date + 4:
            sales.append(Sale(date, time, number, SOLO_ITEM, 10, Decimal("12.34")))
    return sorted(sales, key=sale_order)


def _clicks(
    random: np.random.Generator, items: list[int], first_date: int, users: int, clicks_per_user: int
) -> list[Click]:
    def item() -> int | None:
        draw = random.random()
        return None if draw < 0.06 else 10_001 if draw < 0.2 else int(random.choice([*items, UNKNOWN_ITEM]))

    def page() -> int | None:
        draw = random.random()
        return None if draw < 0.05 else UNKNOWN_PAGE if draw < 0.1 else int(random.integers(12))

    clicks = []
    for number in range(users):
        user = None if number == 0 else 3 * number
        ts = first_date * DAY + int(random.integers(3 * DAY))
        for _ in range(clicks_per_user):
            ts += int(random.choice(LARGE_GAPS if random.random() < 0.03 else SMALL_GAPS))
            lines, sales = 1, None
            if random.random() < 0.2:
                lines, sales = int(random.integers(1, 8)), int(random.integers(40))
            clicks += [Click(ts // DAY, ts % DAY, user, sales, item(), page()) for _ in range(lines)]
    return sorted(clicks, key=click_order)


def _events(random: np.random.Generator, first_date: int, events: int) -> list[AdEvent]:
    def one_of(values: Sequence[int | None]) -> int | None:
        return values[int(random.integers(len(values)))]

    shown = []
    ts = first_date * DAY + int(random.integers(DAY))
    for _ in range(events):
        ts += int(random.choice(EVENT_GAPS, p=(0.4, 0.4, 0.05, 0.05, 0.05, 0.04, 0.01)))
        ad = one_of((*ADS, *ADS, UNKNOWN_AD, None))
        kind = one_of((0, 0, 0, 1, 2, 7, None))
        shown.append(AdEvent(ts // DAY, ts % DAY, one_of((None, 0, 1, 2)), one_of((None, 0, 1)), ad, kind))
    return sorted(shown, key=event_order)


def _cuts(random: np.random.Generator, rows: int, files: int) -> list[int]:
    return sorted(int(cut) for cut in random.integers(0, rows + 1, files - 1))

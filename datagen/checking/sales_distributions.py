"""Measures the distributions of store_sales beside what the model promises."""

from __future__ import annotations

from typing import Any

import duckdb

from streambench.datagen import model
from streambench.datagen.checking import expectation
from streambench.datagen.checking.basket_distributions import check_baskets
from streambench.datagen.checking.expectation import sampling, spread, uniform_sd
from streambench.datagen.checking.report import Report
from streambench.datagen.make.edge_rows import edges_of

_SECOND = "(ss_sold_date_sk * 86400 + ss_sold_time_sk)"

# Each must hold in every row.
_IDENTITIES = {
    "ss_list_price BETWEEN ss_wholesale_cost AND 2 * ss_wholesale_cost": "list price from 1 to 2 times wholesale",
    "ss_sales_price BETWEEN 0 AND ss_list_price": "sales price from 0 to list price",
    "ss_ext_list_price = ss_quantity * ss_list_price": "ext list = quantity · list",
    "ss_ext_sales_price = ss_quantity * ss_sales_price": "ext sales = quantity · sales",
    "ss_ext_wholesale_cost = ss_quantity * ss_wholesale_cost": "ext wholesale = quantity · wholesale",
    "ss_ext_discount_amt = ss_ext_list_price - ss_ext_sales_price": "discount = ext list - ext sales",
    "ss_net_paid = ss_ext_sales_price - ss_coupon_amt": "net paid = ext sales - coupon",
    "ss_net_paid_inc_tax = ss_net_paid + ss_ext_tax": "net paid with tax = net paid + tax",
    "ss_net_profit = ss_net_paid - ss_ext_wholesale_cost": "profit = net paid - ext wholesale",
}


def check_sales(db: duckdb.DuckDBPyConnection, options: model.Options, report: Report) -> None:
    """Add findings on tickets, items, customers, stores, prices and event time."""
    sizes = options.sizes
    tickets, all_tickets = sizes.tickets, sizes.tickets + len(edges_of(options).tickets)
    db.execute(
        f"""CREATE TEMP TABLE any_ticket AS SELECT ss_ticket_number AS number, count(*) AS lines,
            min({_SECOND}) AS second, max({_SECOND}) AS last, min(ss_customer_sk) AS customer,
            max(ss_customer_sk) AS other_customer, min(ss_store_sk) AS store, max(ss_store_sk) AS other_store
            FROM store_sales GROUP BY ALL;
            CREATE VIEW ticket AS SELECT * FROM any_ticket WHERE customer < {sizes.customers}"""
    )
    low, high = expectation.popular_range(sizes.customers, sizes.customer_sd)
    found = _row(
        db,
        f"""SELECT min(lines), max(lines), avg(lines),
            avg(CASE WHEN customer BETWEEN {low} AND {high} THEN 1.0 ELSE 0.0 END),
            count(*) FILTER (last <> second OR customer <> other_customer OR store <> other_store),
            avg(CASE WHEN second % 86400 BETWEEN 21600 AND 64799 THEN 1.0 ELSE 0.0 END) FROM ticket""",
    )
    numbered = _row(db, "SELECT count(*), min(number), max(number) FROM any_ticket")
    report.same("store_sales: tickets, first, last", numbered, (all_tickets, 0, all_tickets - 1))
    if options.heavy:
        check_baskets(db, tickets, report)
    else:
        report.within("store_sales: lines per ticket", found[0], found[1], *model.LINES)
        mean = model.mean(model.LINES)
        report.near("store_sales: mean lines per ticket", found[2], mean, spread(uniform_sd(model.LINES), tickets))
        _check_even(db, report, "store_sales: tickets of each length", "lines", *model.LINES)
    _check_even(db, report, "store_sales: tickets of each store", "store", 0, sizes.stores - 1)
    share = expectation.popular_customer_share(sizes)
    report.near("store_sales: tickets of popular customers", found[3], share, 0.01 + sampling(share, tickets), "%")
    report.same("store_sales: tickets of several seconds, customers or stores", found[4], 0)
    daylight = expectation.daylight_share()
    report.near("store_sales: tickets from 6:00 to 18:00", found[5], daylight, 0.01 + sampling(daylight, tickets), "%")
    falls = _row(
        db,
        """SELECT count(*) FROM (SELECT second < lag(second) OVER (ORDER BY number) AS falls FROM any_ticket)
           WHERE falls""",
    )
    report.same("store_sales: ticket numbers that fall along the stream", falls[0], 0)
    _check_lines(db, options, report)


def _check_lines(db: duckdb.DuckDBPyConnection, options: model.Options, report: Report) -> None:
    sizes = options.sizes
    # On a heavy ticket the popular items are there once: of the mixture tell those that have drawn one item.
    mixed = " FILTER (ss_ticket_number IN (SELECT number FROM ticket WHERE lines = 1))" if options.heavy else ""
    found = _row(
        db,
        f"""SELECT count(*), avg(CASE WHEN ss_item_sk BETWEEN {model.HOT_ITEMS[0]} AND {model.HOT_ITEMS[1]} THEN 1.0
              ELSE 0.0 END){mixed},
            avg(CASE WHEN ss_item_sk IN (SELECT key FROM popular_item) THEN 1.0 ELSE 0.0 END){mixed},
            min(ss_item_sk), max(ss_item_sk), min(ss_quantity), max(ss_quantity),
            min(ss_wholesale_cost), max(ss_wholesale_cost), avg(ss_wholesale_cost),
            avg(ss_list_price / ss_wholesale_cost), avg(ss_sales_price / ss_list_price),
            avg(CASE WHEN ss_coupon_amt = 0 THEN 1.0 ELSE 0.0 END),
            min(ss_sold_date_sk), max(ss_sold_date_sk), min(ss_customer_sk), max(ss_customer_sk), count(*){mixed}
            FROM drawn_sales""",
    )
    rows = found[0]
    check_items(report, "store_sales", found[17], found[1], found[2], sizes)
    report.within("store_sales: items", found[3], found[4], 0, sizes.items - 1)
    report.within("store_sales: customers", found[15], found[16], 0, sizes.customers - 1)
    report.within("store_sales: quantities", found[5], found[6], *model.QUANTITIES)
    report.within("store_sales: wholesale costs", _number(found[7]), _number(found[8]), 1, 100)
    report.near("store_sales: mean wholesale cost", _number(found[9]), 50.5, spread(28.6, rows))
    report.near("store_sales: mean list price / wholesale", _number(found[10]), 1.5, 0.003 + spread(0.29, rows))
    report.near("store_sales: mean sales price / list price", _number(found[11]), 0.5, 0.003 + spread(0.29, rows))
    share = model.NO_COUPON_SHARE
    report.near("store_sales: lines without coupon", found[12], share, 0.003 + sampling(share, rows), "%")
    check_days(report, "store_sales", found[13], found[14], options, sizes.tickets)
    broken = ", ".join(f"count(*) FILTER (NOT coalesce({identity}, false))" for identity in _IDENTITIES)
    for name, count in zip(_IDENTITIES.values(), _row(db, f"SELECT {broken} FROM store_sales"), strict=True):
        report.same(f"store_sales: lines against {name}", count, 0)


def check_items(report: Report, table: str, rows: int, hot: float, popular: float, sizes: model.Sizes) -> None:
    """The three parts of the item mixture; the normal part is made from a sum of uniforms, hence half a per cent."""
    share, central = expectation.item_shares(sizes)
    report.near(f"{table}: rows of the four hot items", hot, share, sampling(share, rows), "%")
    report.near(f"{table}: rows of the popular items", popular, central, 0.005 + sampling(central, rows), "%")
    rest = 1 - share - central
    measured = None if hot is None or popular is None else 1 - hot - popular
    report.near(f"{table}: rows of all other items", measured, rest, 0.005 + sampling(rest, rows), "%")


def check_days(report: Report, table: str, first: int, last: int, options: model.Options, events: int) -> None:
    """The stream's first and last day; a stream with hardly an event a day may miss them."""
    if events >= 20 * options.days:
        expected = (model.FIRST_DATE_SK, model.FIRST_DATE_SK + options.days - 1)
        report.same(f"{table}: first and last day", (first, last), expected)
    else:
        report.within(f"{table}: days", first, last, model.FIRST_DATE_SK, model.FIRST_DATE_SK + options.days - 1)


def _check_even(db: duckdb.DuckDBPyConnection, report: Report, name: str, column: str, first: int, last: int) -> None:
    """Every value from `first` to `last` holds the same share of the tickets: looks at the one farthest off."""
    counts: dict[Any, int] = dict(db.execute(f"SELECT {column}, count(*) FROM ticket GROUP BY ALL").fetchall())
    total = sum(counts.values())
    share = 1 / (last - first + 1)
    found = [counts.get(value, 0) / total for value in range(first, last + 1)]
    farthest = max(found, key=lambda one: abs(one - share))
    report.near(f"{name} (farthest)", farthest, share, sampling(share, total), "%")
    report.same(f"{name}: other values", total - sum(counts.get(value, 0) for value in range(first, last + 1)), 0)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _row(db: duckdb.DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    found: tuple[Any, ...] | None = db.execute(query).fetchone()
    assert found is not None  # aggregates always give a row
    return found

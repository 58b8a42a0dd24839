"""The distributions of store_sales that the model promises."""

from __future__ import annotations

import duckdb

from streambench.datagen import baskets, model
from streambench.datagen.checking import expectation
from streambench.datagen.checking.expectation import spread, uniform_sd
from streambench.datagen.checking.measured import DAYLIGHT, check_even, counts, measured
from streambench.datagen.checking.report import DataReport
from streambench.datagen.make.edge_rows import edges_of

_TABLE = "store_sales"
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


def check_sales(db: duckdb.DuckDBPyConnection, options: model.Options, report: DataReport) -> None:
    """Add findings on tickets, items, customers, stores, prices and event time."""
    sizes = options.sizes
    db.execute(
        f"""CREATE TEMP TABLE any_ticket AS SELECT ss_ticket_number AS number, count(*) AS lines,
            min({_SECOND}) AS second, max({_SECOND}) AS last, min(ss_customer_sk) AS customer,
            max(ss_customer_sk) AS other_customer, min(ss_store_sk) AS store, max(ss_store_sk) AS other_store
            FROM store_sales GROUP BY ALL;
            CREATE VIEW ticket AS SELECT * FROM any_ticket WHERE customer < {sizes.customers}"""
    )
    with measured(db, report, _TABLE, "any_ticket") as tickets:
        tickets.numbered("tickets, first, last", "number", sizes.tickets + len(edges_of(options).tickets))
    if options.heavy:
        _check_baskets(db, sizes.tickets, report)
    else:
        with measured(db, report, _TABLE, "ticket") as tickets:
            tickets.within("lines per ticket", "lines", *model.LINES)
            tickets.mean("mean lines per ticket", "lines", model.mean(model.LINES), uniform_sd(model.LINES))
        lengths = range(model.LINES[0], model.LINES[1] + 1)
        check_even(report, "store_sales: tickets of each length", counts(db, "lines", "ticket"), lengths)
    check_even(report, "store_sales: tickets of each store", counts(db, "store", "ticket"), range(sizes.stores))
    low, high = expectation.popular_range(sizes.customers, sizes.customer_sd)
    popular, daylight = expectation.popular_customer_share(sizes), expectation.daylight_share()
    split = "last <> second OR customer <> other_customer OR store <> other_store"
    with measured(db, report, _TABLE, "ticket") as tickets:
        tickets.share("tickets of popular customers", f"customer BETWEEN {low} AND {high}", popular, 0.01)
        tickets.none("tickets of several seconds, customers or stores", split)
        tickets.share("tickets from 6:00 to 18:00", f"second % 86400 {DAYLIGHT}", daylight, 0.01)
    falls = "(SELECT second < lag(second) OVER (ORDER BY number) AS falls FROM any_ticket)"
    with measured(db, report, _TABLE, falls) as tickets:
        tickets.none("ticket numbers that fall along the stream", "falls")
    _check_lines(db, options, report)


def _check_lines(db: duckdb.DuckDBPyConnection, options: model.Options, report: DataReport) -> None:
    sizes = options.sizes
    # On a heavy ticket the popular items are there once: of the mixture tell those that have drawn one item.
    mixed = " WHERE ss_ticket_number IN (SELECT number FROM ticket WHERE lines = 1)" if options.heavy else ""
    with measured(db, report, _TABLE, f"drawn_sales{mixed}") as lines:
        lines.items("ss_item_sk", sizes)
    with measured(db, report, _TABLE, "drawn_sales") as lines:
        lines.within("items", "ss_item_sk", 0, sizes.items - 1)
        lines.within("customers", "ss_customer_sk", 0, sizes.customers - 1)
        lines.within("quantities", "ss_quantity", *model.QUANTITIES)
        lines.within("wholesale costs", "ss_wholesale_cost", 1, 100)
        lines.mean("mean wholesale cost", "ss_wholesale_cost", 50.5, 28.6)
        lines.mean("mean list price / wholesale", "ss_list_price / ss_wholesale_cost", 1.5, 0.29, 0.003)
        lines.mean("mean sales price / list price", "ss_sales_price / ss_list_price", 0.5, 0.29, 0.003)
        lines.share("lines without coupon", "ss_coupon_amt = 0", model.NO_COUPON_SHARE, 0.003)
        lines.days("ss_sold_date_sk", options, sizes.tickets)
    with measured(db, report, _TABLE) as lines:
        for identity, name in _IDENTITIES.items():
            lines.none(f"lines against {name}", f"NOT coalesce({identity}, false)")


def _check_baskets(db: duckdb.DuckDBPyConnection, tickets: int, report: DataReport) -> None:
    """The distinct items of the drawn heavy tickets: the least and the most, mean, quantiles, pairs a line.

    Of a quantile it is the share of the tickets up to it that is compared.
    """
    promised = baskets.tail()
    source = (
        "(SELECT count(DISTINCT ss_item_sk) AS items, count(*) AS lines FROM drawn_sales GROUP BY ss_ticket_number)"
    )
    with measured(db, report, _TABLE, source) as rows:
        rows.within("items per ticket", "items", 1, baskets.MOST)
        rows.mean("mean items per ticket", "items", promised.mean, promised.mean_sd)
        for most in map(promised.quantile, (0.5, 0.99)):
            rows.share(f"tickets with at most {most} items", f"items <= {most}", promised.at_most(most))
        # The tail is so long that a sample of few tickets says little of its mean.
        pairs, tolerance = "sum(items * (items - 1)) / 2 / sum(items)", spread(promised.pairs_sd, tickets)
        rows.near("pairs per line", pairs, promised.pairs_a_line, tolerance)
        rows.none("tickets with an item twice", "items <> lines")

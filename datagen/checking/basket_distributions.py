"""Measures the baskets of the profile `heavy` beside what the model promises."""

from __future__ import annotations

import duckdb

from streambench.datagen import baskets
from streambench.datagen.checking.expectation import sampling, spread
from streambench.datagen.checking.report import Report


def check_baskets(db: duckdb.DuckDBPyConnection, tickets: int, report: Report) -> None:
    """Add findings on the distinct items of the drawn tickets: the least and the most, quantiles, mean, pairs a line.

    Of a quantile it is the share of the tickets up to it that is compared.
    """
    promised = baskets.tail()
    middle, high = promised.quantile(0.5), promised.quantile(0.99)
    found = db.execute(
        f"""SELECT min(items), max(items), avg(items), avg((items <= {middle})::INT), avg((items <= {high})::INT),
                   sum(items * (items - 1)) / 2 / sum(items), count(*) FILTER (items <> lines)
            FROM (SELECT count(DISTINCT ss_item_sk) AS items, count(*) AS lines
                  FROM drawn_sales GROUP BY ss_ticket_number)"""
    ).fetchone()
    assert found is not None  # aggregates always give a row
    report.within("store_sales: items per ticket", found[0], found[1], 1, baskets.MOST)
    report.near("store_sales: mean items per ticket", found[2], promised.mean, spread(promised.mean_sd, tickets))
    for items, measured in ((middle, found[3]), (high, found[4])):
        share = promised.at_most(items)
        name = f"store_sales: tickets with at most {items} items"
        report.near(name, measured, share, sampling(share, tickets), "%")
    # The tail is so long that a sample of few tickets says little of its mean.
    tolerance = spread(promised.pairs_sd, tickets)
    report.near("store_sales: pairs per line", found[5], promised.pairs_a_line, tolerance)
    report.same("store_sales: tickets with an item twice", found[6], 0)

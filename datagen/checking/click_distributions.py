"""The distributions of web_clickstreams that the model and the real slice promise."""

from __future__ import annotations

import math

import duckdb

from streambench.datagen import model
from streambench.datagen.checking import expectation
from streambench.datagen.checking.expectation import SIGMAS, sampling, spread, uniform_sd
from streambench.datagen.checking.measured import DAYLIGHT, check_even, counts, measured, share
from streambench.datagen.checking.report import DataReport
from streambench.datagen.make.edge_rows import edges_of

_TABLE = "web_clickstreams"
_SECOND = "(wcs_click_date_sk * 86400 + wcs_click_time_sk)"
# Measured on a real slice at scale factor 1. The slice itself is a sample, hence the slack beside the model's values
# (9.87 %, 57.9 %, 7.5 and 16).
_REAL_SALES, _SALES_SLACK = 0.0981, 0.0015
_REAL_KNOWN, _KNOWN_SLACK = 0.578, 0.003
_REAL_LINES, _LINES_SLACK = 7.46, 0.06
_REAL_CLICKS_PER_VISIT, _CLICKS_SLACK = 16.0, 0.1
# Standard deviations, per group of five visits, of what the sampling error of these shares comes from.
_GROUP_SALES_SD, _GROUP_KNOWN_SD, _GROUP_CLICKS_SD = 0.05, 0.22, 7.7
_VISIT_SD = 12.2  # of the clicks that a visitor, known or not, adds to the known ones, per known visit
_NEXT_SECONDS = 600
_GAP_ROWS = 5_000_000  # of clicks for which the next click of the same user is looked up


def check_clicks(db: duckdb.DuckDBPyConnection, options: model.Options, report: DataReport) -> None:
    """Add findings on sizes, orders, users, items, pages and event time."""
    sizes, orders = options.sizes, options.sizes.orders
    # Visits bear no number, so their count is taken from the model: half of the four visitors of each order.
    visits = (model.GROUP_VISITS - 1) * (1 - model.ANONYMOUS_SHARE) * orders
    bought = model.mean(model.BUYER_CLICKS) * orders
    per_visit = f"(count(wcs_user_sk) - count(wcs_sales_sk) - {bought!r}::DOUBLE) / {visits!r}::DOUBLE"
    sold, known = share("wcs_sales_sk IS NOT NULL"), share("wcs_user_sk IS NOT NULL")
    # Visits favour the day; single clicks of the pdgf profile are uniform over it.
    daylight = 0.5 if options.profile == "pdgf" else expectation.daylight_share()
    in_daylight = f"{share(f'wcs_click_time_sk {DAYLIGHT}')} FILTER (wcs_sales_sk IS NULL)"
    of_rows = SIGMAS * _GROUP_CLICKS_SD * math.sqrt(orders)
    of_sold, of_known = _SALES_SLACK + spread(_GROUP_SALES_SD, orders), _KNOWN_SLACK + spread(_GROUP_KNOWN_SD, orders)
    of_visits, of_daylight = _CLICKS_SLACK + spread(_VISIT_SD, visits), 0.01 + sampling(daylight, sizes.visits)
    with measured(db, report, _TABLE, "drawn_clicks") as clicks:
        clicks.near("rows", "count(*)", sizes.expected_clicks, of_rows)
        clicks.near("sales not null", sold, _REAL_SALES, of_sold, "%")
        clicks.near("user not null", known, _REAL_KNOWN, of_known, "%")
        clicks.near("clicks per known visit", per_visit, _REAL_CLICKS_PER_VISIT, of_visits)
        clicks.none("order lines without user", "wcs_sales_sk IS NOT NULL AND wcs_user_sk IS NULL")
        clicks.items("wcs_item_sk", sizes)
        clicks.within("items", "wcs_item_sk", 0, sizes.items - 1)
        clicks.within("pages", "wcs_web_page_sk", 0, sizes.pages - 1)
        clicks.within("users", "wcs_user_sk", 0, sizes.customers - 1)
        clicks.days("wcs_click_date_sk", options, sizes.visits)
        clicks.near("views from 6:00 to 18:00", in_daylight, daylight, of_daylight, "%")
    _check_orders(db, options, report)
    pages = counts(db, "wcs_web_page_sk", "drawn_clicks")
    check_even(report, "web_clickstreams: clicks of each page", pages, range(sizes.pages), others=False)
    _check_profile(db, options, clicks.count, report)


def _check_orders(db: duckdb.DuckDBPyConnection, options: model.Options, report: DataReport) -> None:
    drawn = options.sizes.orders
    db.execute(
        f"""CREATE TEMP TABLE web_order AS SELECT wcs_sales_sk AS number, count(*) AS lines, min({_SECOND}) AS second,
            max({_SECOND}) AS last, count(DISTINCT wcs_user_sk) AS users
            FROM web_clickstreams WHERE wcs_sales_sk IS NOT NULL GROUP BY ALL"""
    )
    allowed, mean_lines = spread(uniform_sd(model.LINES), drawn), f"avg(lines) FILTER (number < {drawn})"
    with measured(db, report, _TABLE, "web_order") as orders:
        orders.numbered("orders, first, last", "number", drawn + edges_of(options).orders)
        orders.within("lines per order", "lines", *model.LINES)
        orders.near("mean lines per order", mean_lines, _REAL_LINES, _LINES_SLACK + allowed)
        orders.none("orders of several seconds or users", "last <> second OR users <> 1")
    falls = "(SELECT second < lag(second) OVER (ORDER BY number) AS falls FROM web_order)"
    with measured(db, report, _TABLE, falls) as orders:
        orders.none("order numbers that fall with event time", "falls")


def _check_profile(db: duckdb.DuckDBPyConnection, options: model.Options, rows: int, report: DataReport) -> None:
    """How many views the same user's next click follows within ten minutes.

    Popular users are left out: their visits overlap. In the session profile only a visitor's last click has no
    near successor. In the pdgf profile a near successor is chance: some 16 clicks over a day, times the user's
    visits on that day.
    """
    low, high = expectation.popular_range(options.sizes.customers, options.sizes.customer_sd)
    every = max(1, rows // _GAP_ROWS)
    row = db.execute(
        f"""SELECT {share(f"following - second <= {_NEXT_SECONDS}")}, count(DISTINCT user_sk)
            FROM (SELECT wcs_user_sk AS user_sk, wcs_sales_sk, {_SECOND} AS second, lead({_SECOND}) OVER
                    (PARTITION BY wcs_user_sk ORDER BY {_SECOND}, wcs_sales_sk NULLS FIRST) AS following
                  FROM drawn_clicks WHERE wcs_user_sk IS NOT NULL AND wcs_user_sk % {every} = 0
                    AND wcs_user_sk NOT BETWEEN {low} AND {high})
            WHERE wcs_sales_sk IS NULL"""
    ).fetchone()
    assert row is not None  # aggregates always give a row
    expected, slack = (0.15, 0.15) if options.profile == "pdgf" else (_follow_share(), 0.03)
    allowed = slack + spread(0.06, row[1])
    report.near("web_clickstreams: views followed within 10 minutes", row[0], expected, allowed, "%")


def _follow_share() -> float:
    """All clicks of a buyer before the order, and all but the last of a known visitor."""
    visitors = (model.GROUP_VISITS - 1) * (1 - model.ANONYMOUS_SHARE)
    clicks, buys = model.mean(model.VISITOR_CLICKS), model.mean(model.BUYER_CLICKS)
    return (visitors * (clicks - 1) + buys) / (visitors * clicks + buys)

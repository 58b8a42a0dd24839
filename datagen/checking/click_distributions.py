"""Measures the distributions of web_clickstreams beside what the model and the real slice promise."""

from __future__ import annotations

import math
from typing import Any

import duckdb

from streambench.datagen import model
from streambench.datagen.checking import expectation
from streambench.datagen.checking.expectation import SIGMAS, sampling, spread, uniform_sd
from streambench.datagen.checking.report import Report
from streambench.datagen.checking.sales_distributions import check_days, check_items
from streambench.datagen.make.edge_rows import edges_of

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


def check_clicks(db: duckdb.DuckDBPyConnection, options: model.Options, report: Report) -> None:
    """Add findings on sizes, orders, users, items, pages and event time."""
    sizes = options.sizes
    orders = sizes.orders
    found = _row(
        db,
        f"""SELECT count(*), count(wcs_sales_sk), count(wcs_user_sk),
            count(*) FILTER (wcs_sales_sk IS NOT NULL AND wcs_user_sk IS NULL),
            avg(CASE WHEN wcs_item_sk BETWEEN {model.HOT_ITEMS[0]} AND {model.HOT_ITEMS[1]} THEN 1.0 ELSE 0.0 END),
            avg(CASE WHEN wcs_item_sk IN (SELECT key FROM popular_item) THEN 1.0 ELSE 0.0 END),
            min(wcs_item_sk), max(wcs_item_sk), min(wcs_web_page_sk), max(wcs_web_page_sk),
            min(wcs_user_sk), max(wcs_user_sk), min(wcs_click_date_sk), max(wcs_click_date_sk),
            avg(CASE WHEN wcs_click_time_sk BETWEEN 21600 AND 64799 THEN 1.0 ELSE 0.0 END)
              FILTER (wcs_sales_sk IS NULL)
            FROM drawn_clicks""",
    )
    rows, sold, known = found[:3]
    report.near("web_clickstreams: rows", rows, sizes.expected_clicks, SIGMAS * _GROUP_CLICKS_SD * math.sqrt(orders))
    tolerance = _SALES_SLACK + spread(_GROUP_SALES_SD, orders)
    report.near("web_clickstreams: sales not null", sold / rows, _REAL_SALES, tolerance, "%")
    tolerance = _KNOWN_SLACK + spread(_GROUP_KNOWN_SD, orders)
    report.near("web_clickstreams: user not null", known / rows, _REAL_KNOWN, tolerance, "%")
    # Visits bear no number, so their count is taken from the model: half of the four visitors of each order.
    visits = (model.GROUP_VISITS - 1) * (1 - model.ANONYMOUS_SHARE) * orders
    viewed = known - sold - model.mean(model.BUYER_CLICKS) * orders
    tolerance = _CLICKS_SLACK + spread(_VISIT_SD, visits)
    report.near("web_clickstreams: clicks per known visit", viewed / visits, _REAL_CLICKS_PER_VISIT, tolerance)
    report.same("web_clickstreams: order lines without user", found[3], 0)
    check_items(report, "web_clickstreams", rows, found[4], found[5], sizes)
    report.within("web_clickstreams: items", found[6], found[7], 0, sizes.items - 1)
    report.within("web_clickstreams: pages", found[8], found[9], 0, sizes.pages - 1)
    report.within("web_clickstreams: users", found[10], found[11], 0, sizes.customers - 1)
    check_days(report, "web_clickstreams", found[12], found[13], options, sizes.visits)
    _check_daylight(report, found[14], options)
    _check_orders(db, options, report)
    _check_pages(db, sizes, report)
    _check_profile(db, options, rows, report)


def _check_daylight(report: Report, measured: float, options: model.Options) -> None:
    """Visits favour the day; single clicks of the pdgf profile are uniform over it."""
    share = 0.5 if options.profile == "pdgf" else expectation.daylight_share()
    tolerance = 0.01 + sampling(share, options.sizes.visits)
    report.near("web_clickstreams: views from 6:00 to 18:00", measured, share, tolerance, "%")


def _check_orders(db: duckdb.DuckDBPyConnection, options: model.Options, report: Report) -> None:
    orders, all_orders = options.sizes.orders, options.sizes.orders + edges_of(options).orders
    db.execute(
        f"""CREATE TEMP TABLE web_order AS SELECT wcs_sales_sk AS number, count(*) AS lines, min({_SECOND}) AS second,
            max({_SECOND}) AS last, count(DISTINCT wcs_user_sk) AS users
            FROM web_clickstreams WHERE wcs_sales_sk IS NOT NULL GROUP BY ALL"""
    )
    found = _row(
        db,
        f"""SELECT count(*), min(number), max(number), min(lines), max(lines), avg(lines) FILTER (number < {orders}),
           count(*) FILTER (last <> second OR users <> 1) FROM web_order""",
    )
    report.same("web_clickstreams: orders, first, last", tuple(found[:3]), (all_orders, 0, all_orders - 1))
    report.within("web_clickstreams: lines per order", found[3], found[4], *model.LINES)
    tolerance = _LINES_SLACK + spread(uniform_sd(model.LINES), orders)
    report.near("web_clickstreams: mean lines per order", found[5], _REAL_LINES, tolerance)
    report.same("web_clickstreams: orders of several seconds or users", found[6], 0)
    falls = _row(
        db,
        "SELECT count(*) FROM (SELECT second < lag(second) OVER (ORDER BY number) AS falls FROM web_order) WHERE falls",
    )
    report.same("web_clickstreams: order numbers that fall with event time", falls[0], 0)


def _check_pages(db: duckdb.DuckDBPyConnection, sizes: model.Sizes, report: Report) -> None:
    counts = dict(db.execute("SELECT wcs_web_page_sk, count(*) FROM drawn_clicks GROUP BY ALL").fetchall())
    total = sum(counts.values())
    share = 1 / sizes.pages
    farthest = max((counts.get(page, 0) / total for page in range(sizes.pages)), key=lambda one: abs(one - share))
    report.near("web_clickstreams: clicks of each page (farthest)", farthest, share, sampling(share, total), "%")


def _check_profile(db: duckdb.DuckDBPyConnection, options: model.Options, rows: int, report: Report) -> None:
    """How many views the same user's next click follows within ten minutes.

    Popular users are left out: their visits overlap. In the session profile only a visitor's last click has no
    near successor. In the pdgf profile a near successor is chance: some 16 clicks over a day, times the user's
    visits on that day.
    """
    sizes = options.sizes
    low, high = expectation.popular_range(sizes.customers, sizes.customer_sd)
    every = max(1, rows // _GAP_ROWS)
    measured, users = _row(
        db,
        f"""SELECT avg(CASE WHEN following - second <= {_NEXT_SECONDS} THEN 1.0 ELSE 0.0 END), count(DISTINCT user_sk)
            FROM (SELECT wcs_user_sk AS user_sk, wcs_sales_sk, {_SECOND} AS second, lead({_SECOND}) OVER
                    (PARTITION BY wcs_user_sk ORDER BY {_SECOND}, wcs_sales_sk NULLS FIRST) AS following
                  FROM drawn_clicks WHERE wcs_user_sk IS NOT NULL AND wcs_user_sk % {every} = 0
                    AND wcs_user_sk NOT BETWEEN {low} AND {high})
            WHERE wcs_sales_sk IS NULL""",
    )
    name = "web_clickstreams: views followed within 10 minutes"
    if options.profile != "pdgf":
        share = _follow_share()
        report.near(name, measured, share, 0.03 + spread(0.06, users), "%")
    else:
        report.near(name, measured, 0.15, 0.15 + spread(0.06, users), "%")


def _follow_share() -> float:
    """All clicks of a buyer before the order, and all but the last of a known visitor."""
    visitors = (model.GROUP_VISITS - 1) * (1 - model.ANONYMOUS_SHARE)
    clicks, buys = model.mean(model.VISITOR_CLICKS), model.mean(model.BUYER_CLICKS)
    return (visitors * (clicks - 1) + buys) / (visitors * clicks + buys)


def _row(db: duckdb.DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    found: tuple[Any, ...] | None = db.execute(query).fetchone()
    assert found is not None  # aggregates always give a row
    return found

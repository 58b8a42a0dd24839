"""Measures the distributions of ad_events beside what the model promises."""

from __future__ import annotations

import math
from typing import Any

import duckdb

from streambench.datagen import model
from streambench.datagen.checking.expectation import SIGMAS, sampling
from streambench.datagen.checking.report import Report
from streambench.datagen.make.edge_rows import edges_of

_SECOND = f"((ae_date_sk - {model.FIRST_DATE_SK}) * 86400 + ae_time_sk)"


def check_events(db: duckdb.DuckDBPyConnection, options: model.Options, report: Report) -> None:
    """Add findings on ads and campaigns, and on rows, event time, types, ads, users and pages of events."""
    sizes = options.sizes
    _check_ads(db, options, report)
    db.execute(f"CREATE VIEW drawn_event AS SELECT * FROM ad_events WHERE ae_ad_sk < {model.ADS}")
    found = _row(
        db,
        """SELECT count(*), min(ae_user_sk), max(ae_user_sk), min(ae_page_sk), max(ae_page_sk), min(ae_ad_sk),
           max(ae_ad_sk) FROM drawn_event""",
    )
    report.same("ad_events: drawn rows", found[0], sizes.events)
    report.within("ad_events: users", found[1], found[2], 0, sizes.customers - 1)
    report.within("ad_events: pages", found[3], found[4], 0, sizes.pages - 1)
    report.within("ad_events: ads", found[5], found[6], 0, model.ADS - 1)
    seconds = _row(
        db,
        f"""SELECT min(n), max(n), min(second), max(second) FROM (
              SELECT {_SECOND} AS second, count(*) AS n FROM drawn_event GROUP BY ALL)""",
    )
    each = sizes.events / model.EVENT_SECONDS
    report.within("ad_events: events in a second", seconds[0], seconds[1], math.floor(each), math.ceil(each))
    report.same("ad_events: first and last second", tuple(seconds[2:]), (0, model.EVENT_SECONDS - 1))
    _check_types(db, report, sizes.events)
    _check_spread(db, report, sizes.events)


def _check_ads(db: duckdb.DuckDBPyConnection, options: model.Options, report: Report) -> None:
    ads = model.ADS + edges_of(options).ads
    keys = _row(db, "SELECT count(DISTINCT a_ad_sk), min(a_ad_sk), max(a_ad_sk) FROM ads")
    report.same("ads: keys, first, last", keys, (ads, 0, ads - 1))
    campaigns = _row(
        db,
        f"""SELECT count(*), min(n), max(n) FROM (
              SELECT count(*) AS n FROM ads WHERE a_ad_sk < {model.ADS} GROUP BY a_campaign_sk)""",
    )
    each = model.ADS_PER_CAMPAIGN
    report.same("ads: campaigns, least and most ads of one", campaigns, (model.CAMPAIGNS, each, each))


def _check_types(db: duckdb.DuckDBPyConnection, report: Report, rows: int) -> None:
    counts = dict(db.execute("SELECT ae_event_type, count(*) FROM drawn_event GROUP BY ALL").fetchall())
    share = 1 / len(model.EVENT_TYPES)
    for code, name in enumerate(model.EVENT_TYPES):
        report.near(f"ad_events: type {name}", counts.pop(code, 0) / rows, share, sampling(share, rows), "%")
    report.same("ad_events: events of other types", sum(counts.values()), 0)


def _check_spread(db: duckdb.DuckDBPyConnection, report: Report, rows: int) -> None:
    """Chi-squared by its degrees of freedom: 1 where ads are drawn evenly, 0 where dealt out, else more."""
    mean, free = rows / model.ADS, model.ADS - 1
    found = _row(
        db,
        f"""SELECT sum(power(coalesce(n, 0) - {mean!r}, 2)) / {mean!r} / {free} FROM range({model.ADS}) AS ad (key)
            LEFT JOIN (SELECT ae_ad_sk AS key, count(*) AS n FROM drawn_event GROUP BY ALL) USING (key)""",
    )
    sd = math.sqrt(2 * free + model.ADS / mean) / free
    report.near("ad_events: spread of the ads' events", found[0], 1.0, SIGMAS * sd)


def _row(db: duckdb.DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    found: tuple[Any, ...] | None = db.execute(query).fetchone()
    assert found is not None  # aggregates always give a row
    return found

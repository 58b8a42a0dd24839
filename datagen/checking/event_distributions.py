"""The distributions of ads and ad_events that the model promises."""

from __future__ import annotations

import math

import duckdb

from streambench.datagen import model
from streambench.datagen.checking.expectation import SIGMAS
from streambench.datagen.checking.measured import check_shares, counts, measured
from streambench.datagen.checking.report import DataReport
from streambench.datagen.make.edge_rows import edges_of

_SECOND = f"((ae_date_sk - {model.FIRST_DATE_SK}) * 86400 + ae_time_sk)"


def check_events(db: duckdb.DuckDBPyConnection, options: model.Options, report: DataReport) -> None:
    """Add findings on ads and campaigns, and on rows, event time, types, ads, users and pages of events."""
    sizes, each, of_one = options.sizes, options.sizes.events / model.EVENT_SECONDS, model.ADS_PER_CAMPAIGN
    db.execute(f"CREATE VIEW drawn_event AS SELECT * FROM ad_events WHERE ae_ad_sk < {model.ADS}")
    with measured(db, report, "ads") as ads:
        ads.numbered("keys, first, last", "a_ad_sk", model.ADS + edges_of(options).ads, "DISTINCT")
    by_campaign = f"(SELECT count(*) AS n FROM ads WHERE a_ad_sk < {model.ADS} GROUP BY a_campaign_sk)"
    with measured(db, report, "ads", by_campaign) as ads:
        expected = (model.CAMPAIGNS, of_one, of_one)
        ads.same("campaigns, least and most ads of one", expected, "count(*)", "min(n)", "max(n)")
    with measured(db, report, "ad_events", "drawn_event") as events:
        events.same("drawn rows", sizes.events, "count(*)")
        events.within("users", "ae_user_sk", 0, sizes.customers - 1)
        events.within("pages", "ae_page_sk", 0, sizes.pages - 1)
        events.within("ads", "ae_ad_sk", 0, model.ADS - 1)
    by_second = f"(SELECT {_SECOND} AS second, count(*) AS n FROM drawn_event GROUP BY ALL)"
    with measured(db, report, "ad_events", by_second) as events:
        events.within("events in a second", "n", math.floor(each), math.ceil(each))
        events.same("first and last second", (0, model.EVENT_SECONDS - 1), "min(second)", "max(second)")
    types = {code: f"ad_events: type {name}" for code, name in enumerate(model.EVENT_TYPES)}
    by_type, shares = counts(db, "ae_event_type", "drawn_event"), [1 / len(types)] * len(types)
    check_shares(report, by_type, types, shares, sizes.events, "ad_events: events of other types")
    # Chi-squared by its degrees of freedom: 1 where ads are drawn evenly, 0 where dealt out, else more.
    mean, free = sizes.events / model.ADS, model.ADS - 1
    by_ad = f"""range({model.ADS}) AS ad (key)
                LEFT JOIN (SELECT ae_ad_sk AS key, count(*) AS n FROM drawn_event GROUP BY ALL) USING (key)"""
    with measured(db, report, "ad_events", by_ad) as events:
        spread = f"sum(power(coalesce(n, 0) - {mean!r}, 2)) / {mean!r} / {free}"
        tolerance = SIGMAS * math.sqrt(2 * free + model.ADS / mean) / free
        events.near("spread of the ads' events", spread, 1.0, tolerance)

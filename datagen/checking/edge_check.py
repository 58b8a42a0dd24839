"""Finds each edge in a directory's tables, by the edge's own SQL."""

from __future__ import annotations

import duckdb

from streambench.datagen import model
from streambench.datagen.checking.report import DataReport
from streambench.datagen.make.edge_rows import edges_of
from streambench.datagen.make.sales_edges import FIRST_IN_KIT, LAST_IN_KIT

_CLICK = """
CREATE TEMP TABLE click AS
SELECT wcs_user_sk AS user_sk, wcs_click_date_sk * 86400 + wcs_click_time_sk AS ts, wcs_sales_sk AS sales,
       wcs_item_sk AS item, wcs_web_page_sk AS page, wp_type AS page_type,
       ts - lag(ts) OVER (PARTITION BY user_sk ORDER BY ts) AS gap
FROM web_clickstreams LEFT JOIN web_page ON wcs_web_page_sk = wp_web_page_sk
WHERE wcs_user_sk >= {customers}
"""

# Sessions of Q4.
_VISIT = """
CREATE TEMP TABLE visit AS
SELECT max(ts) FILTER (page_type = 'dynamic') AS last_dynamic, max(ts) FILTER (page_type = 'order') AS last_order
FROM (SELECT *, sum(CASE WHEN gap > 3600 THEN 1 ELSE 0 END) OVER (PARTITION BY user_sk ORDER BY ts) AS number
      FROM click WHERE sales IS NULL AND page IS NOT NULL)
GROUP BY user_sk, number
"""

# Each line of an order beside each earlier click of its user: `back` is 1 for the click just before, `age` in seconds.
_BOUGHT = """
CREATE TEMP TABLE bought AS
WITH placed AS (SELECT *, row_number() OVER (PARTITION BY user_sk ORDER BY ts, sales NULLS FIRST, item, page) AS place
                FROM click WHERE item IS NOT NULL)
SELECT b.user_sk, b.place AS purchase, b.item AS bought_item, v.item AS viewed, v.item, v.sales, v.ts,
       b.ts - v.ts AS age, b.place - v.place AS back
FROM placed AS b JOIN placed AS v ON b.user_sk = v.user_sk AND v.place < b.place WHERE b.sales IS NOT NULL
"""

_LINE = """
CREATE TEMP TABLE line AS
SELECT ss_ticket_number AS ticket, ss_sold_date_sk * 86400 + ss_sold_time_sk AS ts, ss_sold_date_sk AS day,
       ss_item_sk AS item, ss_net_paid AS net_paid, i_category_id AS category
FROM store_sales JOIN item ON ss_item_sk = i_item_sk WHERE ss_customer_sk >= {customers}
"""

# The days on which a category was sold; the edges' categories are sold in the kit's store only.
_DAILY = """
CREATE TEMP TABLE daily AS
SELECT category, count(*) AS days, min(paid) AS least, max(paid) AS most,
       bool_or(day = {first}) AS on_first, bool_or(day = {last}) AS on_last, bool_or(day = {kit_first}) AS on_kit_first,
       bool_or(day = {kit_last}) AS on_kit_last, bool_or(day = {kit_last} + 1) AS after_kit
FROM (SELECT category, day, sum(net_paid) AS paid FROM line GROUP BY category, day) GROUP BY category
"""

_EVENT = """
CREATE TEMP TABLE event AS
SELECT ae_date_sk * 86400 + ae_time_sk AS ts, ae_user_sk AS user_sk, ae_page_sk AS page, ae_ad_sk AS ad,
       ae_event_type AS type, a_ad_sk IS NOT NULL AS known, a_campaign_sk AS campaign
FROM ad_events LEFT JOIN ads ON ae_ad_sk = a_ad_sk WHERE coalesce(ae_ad_sk, {ads}) >= {ads}
"""


def check_edges(db: duckdb.DuckDBPyConnection, options: model.Options, report: DataReport) -> None:
    """Add a finding for each edge that data with these options have."""
    laid = edges_of(options)
    if not laid.edges:
        return
    first, customers = model.FIRST_DATE_SK, options.sizes.customers
    numbers = {
        "customers": customers,
        "ads": model.ADS,
        "first": first,
        "last": first + options.days - 1,
        "kit_first": first + FIRST_IN_KIT,
        "kit_last": first + LAST_IN_KIT,
    }
    for table in (_CLICK, _VISIT, _BOUGHT, _LINE, _DAILY, _EVENT):
        db.execute(table.format(**numbers))
    clicks = sum((click.user or 0) >= customers for click in laid.clicks)
    for table, rows in (("click", clicks), ("line", sum(map(len, laid.tickets))), ("event", len(laid.events))):
        report.same(f"edges: {table}s", _count(db, f"SELECT count(*) FROM {table}"), rows)
    for edge in laid.edges:
        report.at_least(f"edge: {edge.name}", _count(db, edge.count_sql), 1)


def _count(db: duckdb.DuckDBPyConnection, query: str) -> int:
    row = db.execute(query).fetchone()
    return 0 if row is None else int(row[0])

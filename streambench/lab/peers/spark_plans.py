"""The queries for Spark, in two steps: what is held by key, an aggregation that may go on for ever, and the answer.

In batch both steps are one plan. As a stream the first is stateful, and the second takes its table after each
micro-batch. Whoever imports this has PySpark.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyspark.sql import functions as F

from streambench.lab.peers.columns import answer_schema
from streambench.queries import query as queries

Frame = Any
"""A `pyspark.sql.DataFrame`."""

STATE = "state"


def held(query: str, stream: Frame, looked_up: list[Frame]) -> Frame:
    """What a query holds by key of a stream, which may be a table."""
    return HELD[query](stream, *looked_up)


def answer(query: str, state: Frame) -> pa.Table:
    """The answer of a query, from what it holds."""
    state.createOrReplaceTempView(STATE)
    table = state.sparkSession.sql(ANSWERS[query].format(**queries.find(query).parameters["paper"])).toArrow()
    schema = answer_schema(queries.find(query).answer_columns)
    return table.select(schema.names).cast(schema)


def _q1(sales: Frame) -> Frame:
    ts = F.col("ss_sold_date_sk") * 86400 + F.col("ss_sold_time_sk")
    return sales.groupBy(F.col("ss_ticket_number").alias("ticket"), F.col("ss_item_sk").alias("item")).agg(
        F.min(ts).alias("ts")
    )


def _clicks(clicks: Frame) -> Frame:
    ts = F.col("wcs_click_date_sk") * 86400 + F.col("wcs_click_time_sk")
    return clicks.where("wcs_user_sk IS NOT NULL").withColumn("ts", ts)


def _session() -> Any:
    """A click that is exactly the gap behind the last one still belongs to its session, as the queries want it."""
    return F.session_window(F.timestamp_seconds("ts"), "3600 seconds")


def _q2(clicks: Frame) -> Frame:
    known = _clicks(clicks).where("wcs_item_sk IS NOT NULL")
    return known.groupBy("wcs_user_sk", _session()).agg(F.collect_set("wcs_item_sk").alias("items"))


def _q3(clicks: Frame) -> Frame:
    known = _clicks(clicks).where("wcs_item_sk IS NOT NULL")
    click = F.struct("ts", "wcs_sales_sk", "wcs_item_sk")  # nulls are sorted first
    return known.groupBy("wcs_user_sk").agg(F.sort_array(F.collect_list(click)).alias("clicks"))


def _q4(clicks: Frame, pages: Frame) -> Frame:
    known = _clicks(clicks).where("wcs_sales_sk IS NULL")
    known = known.join(F.broadcast(pages), F.col("wcs_web_page_sk") == F.col("wp_web_page_sk"))

    def last(kind: str) -> Any:
        return F.coalesce(F.max(F.when(F.col("wp_type") == kind, F.col("ts"))), F.lit(-1))

    return known.groupBy("wcs_user_sk", _session()).agg(
        F.count("*").alias("pages"), last("dynamic").alias("dynamic"), last("order").alias("order_page")
    )


def _q15(sales: Frame, items: Frame) -> Frame:
    known = sales.join(F.broadcast(items.where("i_category_id IS NOT NULL")), F.col("ss_item_sk") == F.col("i_item_sk"))
    cents = F.round(F.col("ss_net_paid") * 100).cast("bigint")
    return known.groupBy(
        F.col("i_category_id").cast("bigint").alias("category"), F.col("ss_sold_date_sk").alias("x")
    ).agg(F.sum(cents).alias("y"))


HELD: dict[str, Callable[..., Frame]] = {"q1": _q1, "q2": _q2, "q3": _q3, "q4": _q4, "q15": _q15}
ANSWERS = {
    "q1": """
        WITH counted AS (
            SELECT greatest(a.ts, b.ts) DIV 3600 AS hour, a.item AS item_a, b.item AS item_b, count(*) AS n
            FROM state AS a JOIN state AS b ON a.ticket = b.ticket AND a.item < b.item
            GROUP BY 1, 2, 3
        ),
        ranked AS (
            SELECT *, row_number() OVER (PARTITION BY hour ORDER BY n DESC, item_a, item_b) AS place FROM counted
        )
        SELECT hour, item_a, item_b, n FROM ranked WHERE place <= {top} ORDER BY hour, n DESC, item_a, item_b
    """,
    "q2": """
        WITH a AS (SELECT explode(items) AS item_a, items FROM state),
        pairs AS (SELECT item_a, explode(filter(items, each -> each > item_a)) AS item_b FROM a)
        SELECT item_a, item_b, count(*) AS n FROM pairs
        GROUP BY item_a, item_b ORDER BY n DESC, item_a, item_b LIMIT {top}
    """,
    "q3": """
        WITH click AS (SELECT posexplode(clicks) AS (place, click), clicks FROM state),
        purchase AS (
            SELECT click, explode(slice(clicks, greatest(place - {depth} + 1, 1), least({depth}, place))) AS view
            FROM click WHERE click.wcs_sales_sk IS NOT NULL
        ),
        counted AS (
            SELECT click.wcs_item_sk AS purchased, view.wcs_item_sk AS viewed, count(*) AS n
            FROM purchase WHERE view.ts >= click.ts - {window} GROUP BY 1, 2
        ),
        ranked AS (SELECT *, row_number() OVER (PARTITION BY purchased ORDER BY n DESC, viewed) AS place FROM counted)
        SELECT purchased, viewed, n FROM ranked WHERE place <= {top} ORDER BY purchased, n DESC, viewed
    """,
    "q4": """
        SELECT coalesce(sum(pages), 0) AS pages, count(*) AS sessions,
               CAST(sum(pages) AS DOUBLE) / nullif(count(*), 0) AS pages_per_session
        FROM state WHERE dynamic > order_page
    """,
    "q15": """
        WITH summed AS (
            SELECT category,
                   CAST(count(*) AS DECIMAL(19, 0)) AS n,
                   CAST(sum(x) AS DECIMAL(19, 0)) AS sx,
                   CAST(sum(y) AS DECIMAL(19, 0)) AS sy,
                   CAST(sum(x * y) AS DECIMAL(19, 0)) AS sxy,
                   CAST(sum(x * x) AS DECIMAL(19, 0)) AS sxx
            FROM state GROUP BY category HAVING count(*) >= 2
        ),
        fitted AS (
            SELECT category, n * sxy - sx * sy AS rise, sy * sxx - sx * sxy AS base, n * sxx - sx * sx AS spread
            FROM summed
        )
        SELECT category,
               CAST(rise AS DOUBLE) / CAST(spread AS DOUBLE) / 100 AS slope,
               CAST(base AS DOUBLE) / CAST(spread AS DOUBLE) / 100 AS intercept
        FROM fitted WHERE rise <= 0 ORDER BY category
    """,
}

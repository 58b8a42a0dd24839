"""The table ad_events as Spark expressions: as many events in each second, of any user, page, ad and type."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from streambench.datagen import model
from streambench.datagen.make.draws import Draws
from streambench.datagen.make.edge_rows import edges_of
from streambench.datagen.make.edges import AdEvent


def events(spark: SparkSession, options: model.Options, tasks: int) -> DataFrame:
    """All events, those of edges among them, unsorted."""
    sizes = options.sizes
    draws = Draws(options.seed, "ad_events")
    drawn = spark.range(0, sizes.events, 1, tasks).selectExpr(
        f"id * {model.EVENT_SECONDS}L div {sizes.events}L AS second",
        f"{draws.below('user', 'id', sizes.customers)} AS ae_user_sk",
        f"{draws.below('page', 'id', sizes.pages)} AS ae_page_sk",
        f"{draws.below('ad', 'id', model.ADS)} AS ae_ad_sk",
        f"{draws.below('type', 'id', len(model.EVENT_TYPES))} AS ae_event_type",
    )
    if options.edges:
        drawn = drawn.union(_edge_events(spark, options))
    return drawn.selectExpr(
        f"{model.FIRST_DATE_SK}L + second div 86400L AS ae_date_sk",
        "pmod(second, 86400L) AS ae_time_sk",
        *("ae_user_sk", "ae_page_sk", "ae_ad_sk", "ae_event_type"),
    )


def _edge_events(spark: SparkSession, options: model.Options) -> DataFrame:
    def row(event: AdEvent) -> str:
        ad = None if event.ad is None else model.ADS + event.ad
        keys = ("NULL" if key is None else f"{key}L" for key in (event.second, event.user, event.page, ad, event.type))
        return f"({', '.join(keys)})"

    rows = ", ".join(map(row, edges_of(options).events))
    return spark.sql(f"SELECT * FROM VALUES {rows}").coalesce(1)

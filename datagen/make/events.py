"""The table ad_events as Spark expressions: as many events in each second, of any user, page, ad and type."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from streambench.datagen import model
from streambench.datagen.make.draws import Draws, event_time
from streambench.datagen.make.edge_rows import as_frame, edges_of


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
        laid = edges_of(options).events
        ads = (None if event.ad is None else model.ADS + event.ad for event in laid)
        rows = ((one.second, one.user, one.page, ad, one.type) for one, ad in zip(laid, ads, strict=True))
        drawn = drawn.union(as_frame(spark, rows))
    return drawn.selectExpr(*event_time("ae"), "ae_user_sk", "ae_page_sk", "ae_ad_sk", "ae_event_type")

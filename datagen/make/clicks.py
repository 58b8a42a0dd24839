"""The table web_clickstreams as Spark expressions: visits of many clicks, one in five of which ends in an order."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from streambench.datagen import model
from streambench.datagen.make.dimensions import page_of_type
from streambench.datagen.make.draws import Draws, event_time
from streambench.datagen.make.edge_rows import as_frame, edges_of


def clicks(spark: SparkSession, options: model.Options, tasks: int) -> DataFrame:
    """All clicks, those of edges among them, unsorted.

    Visit v of group v // 5 is anchored at a moment that rises with v. The last visit of a group is the buyer, whose
    anchor is the order's second, so that order numbers (the group's) rise along the stream: its clicks lead up
    to the anchor. A visitor's clicks follow its anchor.
    """
    sizes = options.sizes
    draws = Draws(options.seed, "web_clickstreams")
    buyer = f"(pmod(visit, {model.GROUP_VISITS}L) = {model.GROUP_VISITS - 1}L)"
    anonymous = f"(NOT {buyer} AND {draws.uniform('anonymous', 'visit')} < {model.ANONYMOUS_SHARE!r}D)"
    low, high = model.PACE_SECONDS
    slow = draws.uniform("pace", "visit")
    visits = (
        spark.range(0, sizes.visits, 1, tasks)
        .selectExpr("id AS visit")
        .selectExpr(
            "visit",
            f"{buyer} AS buyer",
            f"CASE WHEN {buyer} THEN {draws.between('buyer clicks', 'visit', model.BUYER_CLICKS)} "
            f"ELSE {draws.between('clicks', 'visit', model.VISITOR_CLICKS)} END AS views",
            f"CASE WHEN {buyer} THEN {draws.between('lines', 'visit', model.LINES)} ELSE 0L END AS lines",
            f"CASE WHEN {anonymous} THEN NULL ELSE {draws.customer('visit', sizes)} END AS user",
            f"{draws.moment('visit', sizes.visits, options.days)} AS anchor",
            f"({low!r}D + {high - low!r}D * ({slow} * {slow})) AS pace",
        )
    )
    each = visits.selectExpr("*", "explode(sequence(0L, views + lines - 1L)) AS step")
    key = "(visit * 64L + step)"
    u = draws.uniform("think", key)
    if options.profile == "pdgf":
        view = f"(anchor - pmod(anchor, 86400L) + floor({u} * 86400.0D))"
    else:
        # The step-th click lies in the step-th slot of one pace; where the stream's end (or, for a buyer, its
        # beginning) is nearer than the whole visit, the visit is squeezed into what is left.
        last = options.days * 86_400 - 1
        room = f"(CASE WHEN buyer THEN anchor ELSE {last}L - anchor END)"
        fit = f"least(1.0D, {room} / (views * pace))"
        before = f"anchor - floor((views - step - {u}) * pace * {fit})"
        after = f"anchor + floor((step + {u}) * pace * {fit})"
        view = f"(CASE WHEN buyer THEN {before} ELSE {after} END)"
    moments = each.selectExpr(
        f"CASE WHEN step < views THEN {view} ELSE anchor END AS second",
        f"CASE WHEN step < views THEN NULL ELSE visit div {model.GROUP_VISITS}L END AS wcs_sales_sk",
        f"{draws.item(key, sizes)} AS wcs_item_sk",
        f"{draws.below('page', key, sizes.pages)} AS wcs_web_page_sk",
        "user AS wcs_user_sk",
    )
    if options.edges:
        moments = moments.union(_edge_clicks(spark, options))
    return moments.selectExpr(*event_time("wcs_click"), "wcs_sales_sk", "wcs_item_sk", "wcs_web_page_sk", "wcs_user_sk")


def _edge_clicks(spark: SparkSession, options: model.Options) -> DataFrame:
    pages: dict[str | None, str] = {page: page_of_type(options, page) for page in model.PAGE_TYPES}
    pages |= {"first": "0L", None: "NULL"}
    laid = edges_of(options).clicks
    return as_frame(spark, ((one.second, one.sales, one.item, pages[one.page], one.user) for one in laid))

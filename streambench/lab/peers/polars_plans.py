"""The queries as lazy frames of Polars. Whoever imports this has Polars, and has fixed its threads before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

DAY = 86_400


def _ts(date: str, time: str) -> Any:
    return (pl.col(date).cast(pl.Int64) * DAY + pl.col(time)).alias("ts")


def _counted(pairs: pl.LazyFrame, keys: list[str]) -> pl.LazyFrame:
    return pairs.group_by(keys).agg(pl.len().cast(pl.Int64).alias("n"))


def _q1(sales: pl.LazyFrame, parameters: Any) -> pl.LazyFrame:
    lines = (
        sales.select(
            _ts("ss_sold_date_sk", "ss_sold_time_sk"),
            pl.col("ss_ticket_number").alias("ticket"),
            pl.col("ss_item_sk").alias("item"),
        )
        .group_by("ticket", "item")
        .agg(pl.col("ts").min())
    )
    pairs = (
        lines.join(lines, on="ticket", suffix="_b")
        .filter(pl.col("item") < pl.col("item_b"))
        .select(
            (pl.max_horizontal("ts", "ts_b") // 3600).alias("hour"),
            pl.col("item").alias("item_a"),
            "item_b",
        )
    )
    ranked = _counted(pairs, ["hour", "item_a", "item_b"]).sort(
        ["hour", "n", "item_a", "item_b"], descending=[False, True, False, False]
    )
    return ranked.group_by("hour", maintain_order=True).head(parameters["top"])


def _in_sessions(clicks: pl.LazyFrame, gap: int) -> pl.LazyFrame:
    """Clicks, of each user in order, with the number of their session among all."""
    new_user = pl.col("user") != pl.col("user").shift(1)
    opens = (new_user | (pl.col("ts") - pl.col("ts").shift(1) > gap)).fill_null(True)
    return clicks.sort("user", "ts").with_columns(opens.cum_sum().alias("session"))


def _q2(clicks: pl.LazyFrame, parameters: Any) -> pl.LazyFrame:
    known = clicks.select(
        _ts("wcs_click_date_sk", "wcs_click_time_sk"),
        pl.col("wcs_user_sk").alias("user"),
        pl.col("wcs_item_sk").alias("item"),
    ).drop_nulls(["user", "item"])
    viewed = _in_sessions(known, parameters["gap"]).select("session", "item").unique()
    pairs = (
        viewed.join(viewed, on="session", suffix="_b")
        .filter(pl.col("item") < pl.col("item_b"))
        .select(pl.col("item").alias("item_a"), "item_b")
    )
    counted = _counted(pairs, ["item_a", "item_b"])
    return counted.sort(["n", "item_a", "item_b"], descending=[True, False, False]).head(parameters["top"])


def _q3(clicks: pl.LazyFrame, parameters: Any) -> pl.LazyFrame:
    known = (
        clicks.select(
            _ts("wcs_click_date_sk", "wcs_click_time_sk"),
            pl.col("wcs_user_sk").alias("user"),
            pl.col("wcs_item_sk").alias("item"),
            pl.col("wcs_sales_sk").is_not_null().alias("bought"),
        )
        .drop_nulls(["user", "item"])
        .sort("user", maintain_order=True)  # files are in replay order
    )
    views = [
        known.with_columns(
            pl.col("item").shift(back).alias("viewed"),
            pl.col("user").shift(back).alias("before"),
            pl.col("ts").shift(back).alias("then"),
        )
        .filter(
            pl.col("bought")
            & (pl.col("before") == pl.col("user"))
            & (pl.col("then") >= pl.col("ts") - parameters["window"])
        )
        .select(pl.col("item").alias("purchased"), "viewed")
        for back in range(1, parameters["depth"] + 1)
    ]
    ranked = _counted(pl.concat(views), ["purchased", "viewed"]).sort(
        ["purchased", "n", "viewed"], descending=[False, True, False]
    )
    return ranked.group_by("purchased", maintain_order=True).head(parameters["top"])


def _q4(clicks: pl.LazyFrame, pages: pl.LazyFrame, parameters: Any) -> pl.LazyFrame:
    known = (
        clicks.filter(pl.col("wcs_user_sk").is_not_null() & pl.col("wcs_sales_sk").is_null())
        .select(
            _ts("wcs_click_date_sk", "wcs_click_time_sk"),
            pl.col("wcs_user_sk").alias("user"),
            pl.col("wcs_web_page_sk").alias("page"),
        )
        .join(pages.rename({"wp_web_page_sk": "page", "wp_type": "type"}), on="page")
    )

    def last(kind: str) -> Any:
        return pl.col("ts").filter(pl.col("type") == kind).max().fill_null(-1)

    kept = (
        _in_sessions(known, parameters["gap"])
        .group_by("session")
        .agg(pl.len().cast(pl.Int64).alias("pages"), last("dynamic").alias("dynamic"), last("order").alias("order"))
        .filter(pl.col("dynamic") > pl.col("order"))
    )
    totals = kept.select(pl.col("pages").sum(), pl.len().cast(pl.Int64).alias("sessions"))
    ratio = pl.when(pl.col("sessions") > 0).then(pl.col("pages") / pl.col("sessions"))
    return totals.with_columns(ratio.alias("pages_per_session"))


def _q15(sales: pl.LazyFrame, items: pl.LazyFrame, parameters: Any) -> pl.LazyFrame:
    daily = (
        sales.join(items.drop_nulls("i_category_id"), left_on="ss_item_sk", right_on="i_item_sk")
        .select(
            pl.col("i_category_id").alias("category"),
            pl.col("ss_sold_date_sk").alias("x"),
            (pl.col("ss_net_paid").cast(pl.Float64) * 100).round().cast(pl.Int64).alias("cents"),
        )
        .group_by("category", "x")
        .agg(pl.col("cents").sum().alias("y"))
    )
    x, y = pl.col("x").cast(pl.Int128), pl.col("y").cast(pl.Int128)
    sums = daily.group_by("category").agg(
        pl.len().cast(pl.Int128).alias("n"),
        x.sum().alias("sx"),
        y.sum().alias("sy"),
        (x * y).sum().alias("sxy"),
        (x * x).sum().alias("sxx"),
    )
    n, sx, sy, sxy, sxx = (pl.col(name) for name in ("n", "sx", "sy", "sxy", "sxx"))
    fitted = sums.filter(n >= 2).select(
        "category", rise=n * sxy - sx * sy, base=sy * sxx - sx * sxy, spread=n * sxx - sx * sx
    )
    rise, base, spread = (pl.col(name).cast(pl.Float64) for name in ("rise", "base", "spread"))
    return (
        fitted.filter(pl.col("rise") <= 0)
        .select("category", slope=rise / spread / 100, intercept=base / spread / 100)
        .sort("category")
    )


PLANS: dict[str, Callable[..., pl.LazyFrame]] = {"q1": _q1, "q2": _q2, "q3": _q3, "q4": _q4, "q15": _q15}

"""QJoin: views that a purchase followed (WC ⋈ WC → SL → PS)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from streambench.queries.common.pair_counts import PairCounts
from streambench.queries.qjoin.operators import FollowedViews

from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_source import JoinSource
from streambench.queries.common.top_of_each import top_of_each
from streambench.queries.qjoin import parameters as rules
from streambench.queries.query import Inputs, Parameters, Query


def columns(parameters: Parameters) -> tuple[str, ...]:
    return ("ts", "wcs_user_sk", "wcs_item_sk", "wcs_sales_sk")


def join(stream: Mapping[str, Any], parameters: Parameters) -> JoinSource:
    """The table's views, on the left, with its purchases."""
    ts, user, item, sales = (stream[name] for name in columns(parameters))
    known = (user >= 0) & (item >= 0)
    views, purchases = np.flatnonzero(known & (sales < 0)), np.flatnonzero(known & (sales >= 0))
    viewed_at, bought_at = (ts[rows].astype(np.int64) for rows in (views, purchases))
    viewers, buyers = (user[rows].astype(np.int64) for rows in (views, purchases))
    definition = Definition(viewed_at, bought_at, [(viewers, buyers, None)], parameters["window"])
    return JoinSource(
        definition, {"viewed": item[views]}, {"purchased": item[purchases], "bought_at": bought_at}, "index"
    )


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    categories = inputs.categories()
    if parameters["categories"] is not None:
        categories = np.where(np.isin(categories, parameters["categories"]), categories, -1)
    counts = PairCounts(("purchased", "viewed"), by_first=True)
    counts.high_key = inputs.bound("wcs_item_sk")
    return [FollowedViews(categories), counts]


def answer(built: Sequence[Any], emitted: pa.Table | None, parameters: Parameters) -> pa.Table:
    purchased, viewed, n = built[1].totals()
    return pa.table(dict(zip(rules.ANSWER, top_of_each(purchased, viewed, n, parameters["top"]), strict=True)))


QUERY = Query.of(
    rules,
    title="views that a purchase followed",
    columns=columns,
    join=join,
    operators=operators,
    answer=answer,
    answer_from_state=True,
    item_columns=("purchased", "viewed"),
)

"""Q3: last views before a purchase (WC → SL → PS → PS)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from streambench.queries.common.known_clicks import KnownClicks
from streambench.queries.common.pair_counts import PairCounts
from streambench.queries.q3.operators import RecentViews

from streambench.queries.common.top_of_each import top_of_each
from streambench.queries.cut import Cut, Shuffle, merged
from streambench.queries.q3 import parameters as rules
from streambench.queries.query import Inputs, Parameters, Query
from streambench.queries.stream_query import State, StreamQuery, integers, summed


def columns(parameters: Parameters) -> tuple[str, ...]:
    return ("ts", "wcs_user_sk", "wcs_item_sk", "wcs_sales_sk")


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    views = None
    if parameters["categories"] is not None:
        views = np.isin(inputs.categories(), parameters["categories"]).astype(np.uint8)
    recent = RecentViews(parameters["window"], parameters["depth"], parameters["purchased"], views)
    recent.high_key = inputs.bound("wcs_user_sk")
    counts = PairCounts(("purchased", "viewed"), by_first=True)
    counts.high_key = inputs.bound("wcs_item_sk")
    return [KnownClicks(columns(parameters)), recent, counts]


def _top(totals: Sequence[Any], parameters: Parameters) -> pa.Table:
    purchased, viewed, n = totals
    return pa.table(dict(zip(rules.ANSWER, top_of_each(purchased, viewed, n, parameters["top"]), strict=True)))


def cut(parameters: Parameters) -> Cut:
    """By user, and the views by purchased item."""
    shuffles = (Shuffle(1, ("wcs_user_sk",)), Shuffle(2, ("purchased",)))
    return Cut(shuffles, lambda tops: merged(tops, "purchased", "-n", "viewed"))


QUERY = Query.of(
    rules,
    title="last views before a purchase",
    columns=columns,
    operators=operators,
    answer=lambda built, emitted, parameters: _top(built[2].totals(), parameters),
    answer_from_state=True,
    item_columns=("purchased", "viewed"),
    cut=cut,
)


def _over(state: State, frontier: int, parameters: Parameters) -> np.typing.NDArray[np.bool_]:
    """Rings whose youngest click is too old for every purchase to come."""
    youngest = np.max([state[f"ts_{place}"] for place in range(parameters["depth"])], axis=0)
    return np.asarray(youngest < frontier - parameters["window"])


STREAM = StreamQuery(  # the last clicks by user, and the counts of views before purchases that each run adds
    QUERY,
    key="wcs_user_sk",
    keyed=1,
    used=3,
    schema=integers(*rules.ANSWER),
    added=lambda operators, emitted: dict(zip(rules.ANSWER, operators[2].totals(), strict=True)),
    answer=lambda added, parameters: _top(summed(added, rules.ANSWER), parameters),
    split=rules.ANSWER[:1],
    over=_over,
)

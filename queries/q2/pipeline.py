"""Q2: products viewed together (WC → SL → PS → SL → PS → SF)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from streambench.queries.common.known_clicks import KnownClicks
from streambench.queries.q2.operators import SessionPairs, Sessions

from streambench.queries.common.top_counted import top_counted
from streambench.queries.cut import Cut, Shuffle, first_of_each, merged
from streambench.queries.q2 import parameters as rules
from streambench.queries.query import Inputs, Parameters, Query, emitted_answer


def columns(parameters: Parameters) -> tuple[str, ...]:
    return ("ts", "wcs_user_sk", "wcs_item_sk")


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    sessions = Sessions(parameters["gap"])
    sessions.high_key = inputs.bound("wcs_user_sk")
    return [
        KnownClicks(columns(parameters)),
        sessions,
        SessionPairs(parameters["item"]),
        *top_counted(("item_a", "item_b"), parameters, inputs.bound("wcs_item_sk")),
    ]


def cut(parameters: Parameters) -> Cut:
    """By user, and the sessions' pairs by pair."""

    def merge(tops: Sequence[pa.Table]) -> pa.Table:
        return first_of_each(merged(tops, "-n", "item_a", "item_b"), None, parameters["top"])

    return Cut((Shuffle(1, ("wcs_user_sk",)), Shuffle(3, ("item_a", "item_b"))), merge)


QUERY = Query.of(
    rules,
    title="products viewed together",
    columns=columns,
    operators=operators,
    answer=emitted_answer,
    item_columns=("item_a", "item_b"),
    approximates=True,
    cut=cut,
)

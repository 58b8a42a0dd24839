"""Q2: products viewed together (WC → SL → PS → SL → PS → SF)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from streambench.queries.known_clicks import KnownClicks
from streambench.queries.pair_counts import PairCounts
from streambench.queries.q2.operators import SessionPairs, Sessions
from streambench.queries.top_pairs import TopPairs

from streambench.queries.q2 import parameters as rules
from streambench.queries.query import Inputs, Parameters, Query


def columns(parameters: Parameters) -> tuple[str, ...]:
    return ("ts", "wcs_user_sk", "wcs_item_sk")


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    sessions = Sessions(parameters["gap"])
    sessions.high_key = inputs.bound("wcs_user_sk")
    counts = PairCounts(("a", "b"))
    counts.high_key = (inputs.bound("wcs_item_sk") << 32) - 1
    return [
        KnownClicks(("ts", "user", "item")),
        sessions,
        SessionPairs(parameters["item"]),
        counts,
        TopPairs(rules.EMITTED, parameters["top"]),
    ]


def answer(built: Sequence[Any], emitted: pa.Table | None, parameters: Parameters) -> pa.Table:
    assert emitted is not None
    return emitted


QUERY = Query.of(
    rules,
    title="products viewed together",
    columns=columns,
    operators=operators,
    answer=answer,
    item_columns=("item_a", "item_b"),
)

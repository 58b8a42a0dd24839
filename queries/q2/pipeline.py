"""Q2: products viewed together (WC → SL → PS → SL → PS → SF)."""

from __future__ import annotations

from typing import Any

from streambench.queries.common.known_clicks import KnownClicks
from streambench.queries.q2.operators import SessionPairs, Sessions

from streambench.queries.common.top_counted import top_counted
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


QUERY = Query.of(
    rules,
    title="products viewed together",
    columns=columns,
    operators=operators,
    answer=emitted_answer,
    item_columns=("item_a", "item_b"),
    approximates=True,
)

"""Q2: products viewed together (WC → SL → PS → SL → PS → SF)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from streambench.queries.common.known_clicks import KnownClicks
from streambench.queries.q2.operators import SessionPairs, Sessions

from streambench.queries.common.top_counted import top_counted
from streambench.queries.cut import Cut, Shuffle, first_of_each, merged
from streambench.queries.q2 import parameters as rules
from streambench.queries.query import Inputs, Parameters, Query, emitted_answer
from streambench.queries.stream_query import StreamQuery, integers, summed


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


def _top_of_added(added: pa.Table, parameters: Parameters) -> pa.Table:
    a, b, n = summed(added, rules.ANSWER)
    top = np.lexsort((b, a, -n))[: parameters["top"]]
    return pa.table(dict(zip(rules.ANSWER, (a[top], b[top], n[top]), strict=True)))


STREAM = StreamQuery(  # sessions by user, and the counts of pairs that each run adds
    QUERY,
    key="wcs_user_sk",
    keyed=1,
    used=4,
    schema=integers(*rules.ANSWER),
    added=lambda operators, emitted: dict(zip(rules.ANSWER, operators[3].totals(), strict=True)),
    answer=_top_of_added,
    split=rules.ANSWER[:2],
    over=lambda state, frontier, parameters: frontier - state["mark"] > parameters["gap"],
)

"""Q1: items sold together (SS → SL → PS → PS → SF)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from streambench.queries.q1.dealt_pairs import DealtPairs
from streambench.queries.q1.operators import KeepLines, TicketPairs

from streambench.queries.common.top_counted import top_counted
from streambench.queries.cut import Cut, Shuffle, first_of_each, merged
from streambench.queries.q1 import parameters as rules
from streambench.queries.query import Inputs, Parameters, Query, emitted_answer


def columns(parameters: Parameters) -> tuple[str, ...]:
    names = ("ts", "ss_ticket_number", "ss_item_sk")
    return names if parameters["stores"] is None else (*names, "ss_store_sk")


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    items = None
    if parameters["categories"] is not None:
        items = np.isin(inputs.categories(), parameters["categories"]).astype(np.uint8)
    pairs = TicketPairs(inputs.facts["tickets_ascend"], parameters["hourly"], DealtPairs)
    pairs.high_key = inputs.bound("ss_ticket_number")
    bound = inputs.bound("ss_item_sk")
    return [
        KeepLines(parameters["stores"], items),
        pairs,
        *top_counted(("hour", "item_a", "item_b"), parameters, bound, min_count=parameters["min_count"]),
    ]


def cut(parameters: Parameters) -> Cut:
    """By ticket, or ranges of tickets, and the pairs by hour; by pair where the whole stream is one window."""
    pairs = ("hour",) if parameters["hourly"] else ("item_a", "item_b")

    def merge(tops: Sequence[pa.Table]) -> pa.Table:
        return first_of_each(merged(tops, "hour", "-n", "item_a", "item_b"), "hour", parameters["top"])

    shuffles = (Shuffle(1, ("ss_ticket_number",)), Shuffle(2, pairs, window="hour"))
    return Cut(shuffles, merge, sequence=("hour",), ascending="tickets_ascend")


QUERY = Query.of(
    rules,
    title="items sold together",
    columns=columns,
    operators=operators,
    answer=emitted_answer,
    item_columns=("item_a", "item_b"),
    approximates=True,
    cut=cut,
)

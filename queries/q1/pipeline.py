"""Q1: items sold together (SS → SL → PS → PS → SF)."""

from __future__ import annotations

from typing import Any

import numpy as np
from streambench.queries.common.pair_counts import PairCounts
from streambench.queries.common.top_pairs import TopPairs
from streambench.queries.q1.operators import KeepLines, TicketPairs

from streambench.queries.q1 import parameters as rules
from streambench.queries.query import Inputs, Parameters, Query, emitted_answer


def columns(parameters: Parameters) -> tuple[str, ...]:
    wanted = ("ts", "ss_ticket_number", "ss_item_sk")
    return wanted if parameters["stores"] is None else (*wanted, "ss_store_sk")


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    items = None
    if parameters["categories"] is not None:
        items = np.isin(inputs.categories(), parameters["categories"]).astype(np.uint8)
    pairs = TicketPairs(inputs.facts["tickets_ascend"], parameters["hourly"])
    pairs.high_key = inputs.bound("ss_ticket_number")
    counts = PairCounts(("hour", "item_a", "item_b"), windowed=True)
    counts.high_key = (inputs.bound("ss_item_sk") << 32) - 1
    return [
        KeepLines(parameters["stores"], items),
        pairs,
        counts,
        TopPairs(rules.EMITTED, parameters["top"], parameters["min_count"], windowed=True),
    ]


QUERY = Query.of(
    rules,
    title="items sold together",
    columns=columns,
    operators=operators,
    answer=emitted_answer,
    item_columns=("item_a", "item_b"),
)

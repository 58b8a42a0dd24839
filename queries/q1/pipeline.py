"""Q1: items sold together (SS → SL → PS → PS → SF)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from streambench.queries.pair_counts import PairCounts
from streambench.queries.q1.operators import KeepLines, TicketPairs
from streambench.queries.q1.parameters import ANSWER, DIMENSIONS, EMITTED, PARAMETERS, TABLE
from streambench.queries.query import Inputs, Parameters, Query
from streambench.queries.top_pairs import TopPairs


def columns(parameters: Parameters) -> tuple[str, ...]:
    wanted = ("ts", "ss_ticket_number", "ss_item_sk")
    return wanted if parameters["stores"] is None else (*wanted, "ss_store_sk")


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    items = None
    if parameters["categories"] is not None:
        items = np.isin(inputs.categories(), parameters["categories"]).astype(np.uint8)
    return [
        KeepLines(parameters["stores"], items),
        TicketPairs(inputs.facts["tickets_ascend"], parameters["hourly"]),
        PairCounts(("hour", "a", "b"), windowed=True),
        TopPairs(EMITTED, parameters["top"], parameters["min_count"], windowed=True),
    ]


def answer(built: Sequence[Any], emitted: pa.Table | None, parameters: Parameters) -> pa.Table:
    assert emitted is not None
    return emitted


QUERY = Query(
    name="q1",
    title="items sold together",
    table=TABLE,
    parameters=PARAMETERS,
    dimensions=DIMENSIONS,
    emitted=EMITTED,
    answer_columns=ANSWER,
    columns=columns,
    operators=operators,
    answer=answer,
    item_columns=("item_a", "item_b"),
)

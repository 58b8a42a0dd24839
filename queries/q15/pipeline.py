"""Q15: flat or declining categories (SS → SL → SL → PS)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from streambench.queries.q15.operators import KeepLines, LookUpCategory, SalesLine

from streambench.queries.q15 import parameters as rules
from streambench.queries.query import Inputs, Parameters, Query


def columns(parameters: Parameters) -> tuple[str, ...]:
    wanted = ("date", "ss_item_sk", "cents")
    return wanted if parameters["store"] is None else (*wanted, "ss_store_sk")


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    categories = inputs.categories()
    line = SalesLine()
    line.high_key = max(1, int(categories.max(initial=0)) + 1)
    return [
        KeepLines(parameters["store"], parameters["first_date"], parameters["last_date"]),
        LookUpCategory(categories),
        line,
    ]


def answer(built: Sequence[Any], emitted: pa.Table | None, parameters: Parameters) -> pa.Table:
    lines = [line for line in built[2].lines() if line[1] <= 0]
    category, slope, intercept = (list(column) for column in zip(*lines, strict=True)) if lines else ([], [], [])
    return pa.table(
        {
            "category": np.array(category, dtype=np.int64),
            "slope": np.array(slope, dtype=np.float64),
            "intercept": np.array(intercept, dtype=np.float64),
        }
    )


QUERY = Query.of(
    rules,
    title="flat or declining categories",
    columns=columns,
    operators=operators,
    answer=answer,
    answer_from_state=True,
    float_columns=("slope", "intercept"),
)

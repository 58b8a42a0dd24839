"""Q15 as a stream: sums by category, and the line of each category after every day with sales."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from streambench.queries.q15.pipeline import QUERY
from streambench.queries.query import Parameters
from streambench.queries.stream_query import StreamQuery

LINE = ("category", "n", "slope", "intercept")


def _answer(added: pa.Table, parameters: Parameters) -> pa.Table:
    """Of each category the line over the most days, which is its last, where it does not rise."""
    columns = {name: added.column(name).to_numpy() for name in LINE}
    order = np.lexsort((columns["n"], columns["category"]))
    category = columns["category"][order]
    last = order[np.r_[category[1:] != category[:-1], True]] if len(order) else order
    kept = last[columns["slope"][last] <= 0]
    return pa.table({name: columns[name][kept] for name in ("category", "slope", "intercept")})


STREAM = StreamQuery(
    QUERY,
    key="category",
    keyed=2,
    used=3,
    schema=pa.schema(
        [("category", pa.int64()), ("n", pa.int64()), ("slope", pa.float64()), ("intercept", pa.float64())]
    ),
    added=lambda operators, emitted: emitted,
    answer=_answer,
)

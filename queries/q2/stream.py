"""Q2 as a stream: sessions by user, and the counts of pairs that each run adds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from streambench.queries.q2.pipeline import QUERY
from streambench.queries.query import Parameters
from streambench.queries.stream_query import StreamQuery, integers, summed

PAIR = ("item_a", "item_b", "n")


def _answer(added: pa.Table, parameters: Parameters) -> pa.Table:
    a, b, n = summed(added, PAIR)
    top = np.lexsort((b, a, -n))[: parameters["top"]]
    return pa.table(dict(zip(PAIR, (a[top], b[top], n[top]), strict=True)))


STREAM = StreamQuery(
    QUERY,
    key="wcs_user_sk",
    keyed=1,
    used=4,
    schema=integers(*PAIR),
    added=lambda operators, emitted: dict(zip(PAIR, operators[3].totals(), strict=True)),
    answer=_answer,
    split=PAIR[:2],
    over=lambda state, frontier, parameters: frontier - state["mark"] > parameters["gap"],
)

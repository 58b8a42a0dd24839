"""Q4 as a stream: carts by user, and the pages and sessions that each run adds."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from streambench.queries.q4.pipeline import QUERY
from streambench.queries.query import Parameters
from streambench.queries.stream_query import StreamQuery, integers


def _answer(added: pa.Table, parameters: Parameters) -> pa.Table:
    pages, sessions = (pc.sum(added.column(name)).as_py() or 0 for name in ("pages", "sessions"))
    ratio = pa.array([pages / sessions if sessions else None], pa.float64())
    return pa.table({"pages": [pages], "sessions": [sessions], "pages_per_session": ratio})


STREAM = StreamQuery(
    QUERY,
    key="wcs_user_sk",
    keyed=1,
    used=4,
    schema=integers("pages", "sessions"),
    added=lambda operators, emitted: dict(
        zip(("pages", "sessions"), ([total] for total in operators[3].totals()), strict=True)
    ),
    answer=_answer,
    over=lambda state, frontier, parameters: frontier - state["last"] > parameters["gap"],
)

"""Q4: abandoned carts (WC → SL → PS → SL → SF)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from streambench.queries.q4.operators import AbandonedCarts, CartSessions, CartTotals, PageClicks

from streambench.queries.cut import Cut, Shuffle
from streambench.queries.q4 import parameters as rules
from streambench.queries.query import Inputs, Parameters, Query


def columns(parameters: Parameters) -> tuple[str, ...]:
    return ("ts", "wcs_user_sk", "wcs_sales_sk", "wcs_web_page_sk")


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    sessions = CartSessions(parameters["gap"])
    sessions.high_key = inputs.bound("wcs_user_sk")
    return [PageClicks(inputs.page_types()), sessions, AbandonedCarts(), CartTotals()]


def answer(built: Sequence[Any], emitted: pa.Table | None, parameters: Parameters) -> pa.Table:
    return _table(*built[3].totals())


def _table(pages: int, sessions: int) -> pa.Table:
    ratio = pa.array([pages / sessions if sessions else None], pa.float64())
    return pa.table({"pages": [pages], "sessions": [sessions], "pages_per_session": ratio})


def cut(parameters: Parameters) -> Cut:
    """By user; the partitions' totals are added up."""

    def merge(totals: Sequence[pa.Table]) -> pa.Table:
        rows = pa.concat_tables(totals)
        return _table(*(pc.sum(rows.column(name)).as_py() for name in ("pages", "sessions")))

    return Cut((Shuffle(1, ("wcs_user_sk",)),), merge)


QUERY = Query.of(
    rules,
    title="abandoned carts",
    columns=columns,
    operators=operators,
    answer=answer,
    answer_from_state=True,
    cut=cut,
)

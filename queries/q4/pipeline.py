"""Q4: abandoned carts (WC → SL → PS → SL → SF)."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from streambench.queries.q4.operators import AbandonedCarts, CartSessions, CartTotals, PageClicks

from streambench.queries.cut import Cut, Shuffle
from streambench.queries.q4 import parameters as rules
from streambench.queries.query import Inputs, Parameters, Query
from streambench.queries.stream_query import StreamQuery, integers


def columns(parameters: Parameters) -> tuple[str, ...]:
    return ("ts", "wcs_user_sk", "wcs_sales_sk", "wcs_web_page_sk")


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    sessions = CartSessions(parameters["gap"])
    sessions.high_key = inputs.bound("wcs_user_sk")
    return [PageClicks(inputs.page_types()), sessions, AbandonedCarts(), CartTotals()]


def _table(pages: int, sessions: int) -> pa.Table:
    ratio = pa.array([pages / sessions if sessions else None], pa.float64())
    return pa.table({"pages": [pages], "sessions": [sessions], "pages_per_session": ratio})


def cut(parameters: Parameters) -> Cut:
    """By user; the partitions' totals are added up."""
    return Cut((Shuffle(1, ("wcs_user_sk",)),), lambda totals: _added_up(pa.concat_tables(totals)))


def _added_up(totals: pa.Table) -> pa.Table:
    return _table(*(pc.sum(totals.column(name)).as_py() or 0 for name in rules.EMITTED))


QUERY = Query.of(
    rules,
    title="abandoned carts",
    columns=columns,
    operators=operators,
    answer=lambda built, emitted, parameters: _table(*built[3].totals()),
    answer_from_state=True,
    cut=cut,
)

STREAM = StreamQuery(  # carts by user, and the pages and sessions that each run adds
    QUERY,
    key="wcs_user_sk",
    keyed=1,
    used=4,
    schema=integers(*rules.EMITTED),
    added=lambda built, emitted: dict(zip(rules.EMITTED, ([total] for total in built[3].totals()), strict=True)),
    answer=lambda added, parameters: _added_up(added),
    over=lambda state, frontier, parameters: frontier - state["last"] > parameters["gap"],
)

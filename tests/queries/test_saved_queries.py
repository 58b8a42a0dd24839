"""Queries that are cut anywhere, and go on with another plan, emit what an undisturbed run does."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saved_runs import fault, run, write_at_once
from streambench.queries.baselines.micro_operators import Count, DigestSink, Map
from streambench.queries.common.known_clicks import KnownClicks
from streambench.queries.parametric.operators import MatrixKeyed, MatrixStateless
from streambench.queries.q1.dealt_pairs import DealtPairs
from streambench.queries.q1.operators import TicketPairs
from streambench.queries.q2.operators import SessionPairs, Sessions
from streambench.queries.q3.operators import RecentViews
from streambench.queries.q4.operators import AbandonedCarts, CartSessions, CartTotals, PageClicks
from streambench.queries.q15.operators import LookUpCategory, SalesLine
from streambench.queries.ysb.operators import CampaignViews, KeepViews, LookUpCampaign

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource
from streambench.queries.common.top_counted import top_counted

ROWS, UNIT, ITEMS, USERS = 900, 30, 25, 12
HOW: tuple[dict[str, Any], ...] = (
    {"engine": "serial"},
    {"workers": 1},
    {"workers": 2, "partitions": 3},
    {"workers": 3, "plan": "whole", "partitions": 5},
    {"workers": 4, "plan": "cut"},
    {"workers": 8, "plan": "sharded"},
)
DEALT = {"workers": 2, "partitions": 3, "plan": "2**|5"}
PAIR = ("item_a", "item_b")


def source(seed: int) -> TableSource:
    """Clicks and sales of few users and items: time, and tickets, ascend; what may be null is -1."""
    draw = np.random.default_rng(seed)
    ts = np.cumsum(draw.choice([0, 0, 1, 30, 700], ROWS))
    columns = {
        "number": np.arange(ROWS),
        "ts": ts,
        "ss_ticket_number": np.cumsum(draw.integers(0, 2, ROWS)) // 3,
        "ss_item_sk": draw.integers(0, ITEMS, ROWS),
        "wcs_user_sk": draw.integers(-1, USERS, ROWS),
        "wcs_item_sk": draw.integers(-1, ITEMS, ROWS),
        "wcs_sales_sk": draw.integers(-4, 2, ROWS).clip(-1),
        "wcs_web_page_sk": draw.integers(0, 6, ROWS),
        "date": ts // 3600,
        "cents": draw.integers(0, 9999, ROWS),
        "ae_ad_sk": draw.integers(0, 9, ROWS),
        "ae_event_type": draw.integers(0, 2, ROWS).astype(np.int8),
    }
    return TableSource(list(columns.values()), tuple(columns))


def ranged(operator: Any, bound: int) -> Any:
    operator.high_key = bound
    return operator


def tickets(*, ascending: bool, epsilon: float | None = None, bound: int = ROWS) -> list[Any]:
    parameters = {"top": 4} if epsilon is None else {"top": 4, "epsilon": epsilon}
    pairs = ranged(TicketPairs(ascending, True, DealtPairs), bound)
    return [pairs, *top_counted(("hour", *PAIR), parameters, ITEMS, min_count=0)]


def sessions(epsilon: float | None = None) -> list[Any]:
    parameters = {"top": 30} if epsilon is None else {"top": 30, "epsilon": epsilon}
    clicks = KnownClicks(("ts", "wcs_user_sk", "wcs_item_sk"))
    return [clicks, ranged(Sessions(900), USERS // 2), SessionPairs(), *top_counted(PAIR, parameters, ITEMS)]


CASES: dict[str, Callable[[], list[Any]]] = {
    "q1": partial(tickets, ascending=True),
    "q1, tickets in any order": partial(tickets, ascending=False, bound=40),
    "q1, approximate": partial(tickets, ascending=True, epsilon=0.05),
    "q2": sessions,
    "q2, approximate": partial(sessions, 0.1),
    "q3": lambda: [
        KnownClicks(("ts", "wcs_user_sk", "wcs_item_sk", "wcs_sales_sk")),
        ranged(RecentViews(5000), USERS // 2),
    ],
    "q4": lambda: [
        PageClicks(np.array([0, 1, 2, 0, 1, -1])),
        ranged(CartSessions(900), USERS // 2),
        AbandonedCarts(),
        CartTotals(),
    ],
    "q15": lambda: [LookUpCategory(np.arange(ITEMS) % 7 - 1), ranged(SalesLine(), 4)],
    "ysb": lambda: [KeepViews(600), LookUpCampaign(np.arange(9) // 2), ranged(CampaignViews(), 3)],
}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("case", CASES)
def test_a_query_cut_twice_emits_the_undisturbed_sequence(
    case: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_at_once(monkeypatch)
    draw = random.Random(f"{case} {seed}")
    expected = TableSink()
    execute(Pipeline([source(seed), fault(None), *CASES[case](), expected]), Options(engine="serial"))
    plans = (*HOW, DEALT, DEALT) if case == "q1" else HOW
    for at in sorted(draw.sample(range(2 * UNIT, ROWS), 2)):
        operators = [source(seed), fault(at), *CASES[case](), TableSink()]
        run(operators, tmp_path, fails=True, unit=draw.choice((1, 7, UNIT)), **draw.choice(plans))
    sink = TableSink()
    run([source(seed), fault(None), *CASES[case](), sink], tmp_path, fails=False, unit=UNIT, **draw.choice(plans))
    assert expected.tuples > 0
    assert [each.tolist() for each in sink.rows()] == [each.tolist() for each in expected.rows()]
    assert sink.digest == expected.digest


@pytest.mark.parametrize(
    "build",
    [
        lambda: [Map(), Count(50), DigestSink()],
        lambda: [
            MatrixStateless(tuple_size=3, rounds=2, key_space=50, emits_payload=True),
            MatrixKeyed(tuple_size=3, state_size=5, rounds=4, key_space=50),
            TableSink(),
        ],
    ],
    ids=["micro", "parametric"],
)
def test_operators_of_micro_pipelines_go_on_with_what_others_saved(build: Callable[[], list[Any]]) -> None:
    key = np.random.default_rng(2).integers(0, 50, 400)
    columns = (key, np.arange(400))
    serial = Options(engine="serial")
    whole = build()
    execute(Pipeline([TableSource(columns, ("key", "id")), *whole]), serial)
    for cut in (1, 150, 399):
        first, second = build(), build()
        execute(Pipeline([TableSource([each[:cut] for each in columns], ("key", "id")), *first]), serial)

        def load(first: list[Any] = first, second: list[Any] = second) -> None:
            for before, behind in zip(first, second, strict=True):
                behind.load(before.save())

        rest = TableSource([each[cut:] for each in columns], ("key", "id"))
        execute(Pipeline([rest, *second]), serial, opened=load)
        assert second[-1].digest == whole[-1].digest

"""The queries' stateless operators, one by one: as naive Python, over units of any size, copied input or not."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.queries.common.known_clicks import KnownClicks
from streambench.queries.q2.operators import SessionPairs, Sessions
from streambench.queries.q4.operators import AbandonedCarts, CartTotals, PageClicks
from typed import typed

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.operators.decorators import stateless
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import BatchSource, TableSource
from streambench.queries.q1 import operators as q1
from streambench.queries.q15 import operators as q15
from streambench.queries.ysb import operators as ysb

pytestmark = pytest.mark.slow  # many examples

Rows = list[tuple[int, ...]]

some = st.integers(-1, 4)
times = st.integers(0, 4)
units = st.sampled_from([1, 2, 7, 9, 64])
every_source = pytest.mark.parametrize("preloaded", [True, False])


def tables(*columns: st.SearchStrategy[int]) -> st.SearchStrategy[Rows]:
    return st.lists(st.tuples(*columns), max_size=60)


def run(rows: Rows, width: int, unit: int, preloaded: bool, *operators: Any) -> Rows:
    """What the operators emit. A unit of a preloaded table is the table's own memory, else it is a copy.

    Columns are narrow where their values fit and the number of rows is even.
    """
    names = list(operators[0].reads)
    columns = typed(operators[0], [[row[k] for row in rows] for k in range(width)], wide=len(rows) % 2 == 1)
    types = [each.dtype for each in columns]
    source = TableSource(columns, names) if preloaded else BatchSource([columns], names, types=types)
    sink = TableSink()
    execute(Pipeline([source, *operators, sink]), Options(engine="serial", unit=unit, pin=False, preload=preloaded))
    return list(zip(*(column.tolist() for column in sink.rows()), strict=True))


@every_source
@given(rows=tables(times, some, some, some), unit=units)
def test_known_clicks_have_a_user_and_an_item(preloaded: bool, rows: Rows, unit: int) -> None:
    found = run(rows, 4, unit, preloaded, KnownClicks(("ts", "user", "item", "sales")))
    assert found == [row for row in rows if row[1] >= 0 and row[2] >= 0]


@every_source
@given(rows=tables(times, some, some, st.integers(-1, 6)), unit=units, known=st.integers(0, 4))
def test_page_clicks_have_a_user_and_a_known_page_and_buy_nothing(
    preloaded: bool, rows: Rows, unit: int, known: int
) -> None:
    types = [0, 2, -1, 1][:known]
    wanted = [
        (ts, user, types[page])
        for ts, user, sales, page in rows
        if user >= 0 and sales < 0 and 0 <= page < known and types[page] >= 0
    ]
    assert run(rows, 4, unit, preloaded, PageClicks(types)) == wanted


@every_source
@given(rows=tables(times, some, st.integers(0, 6), st.integers(-1, 6)), unit=units)
@pytest.mark.parametrize("stores", [None, [0, 3], []])
@pytest.mark.parametrize("wanted_items", [None, [1, 0, 0, 1, 1], []])
def test_lines_of_chosen_stores_and_items_are_kept(
    preloaded: bool, rows: Rows, unit: int, stores: list[int] | None, wanted_items: list[int] | None
) -> None:
    wanted = [
        row[:3]
        for row in rows
        if (stores is None or row[3] in stores)
        and (wanted_items is None or (row[2] < len(wanted_items) and wanted_items[row[2]]))
    ]
    width = 3 if stores is None else 4
    assert run(rows, width, unit, preloaded, q1.KeepLines(stores, wanted_items)) == wanted


@every_source
@given(rows=tables(st.integers(0, 6), some, some, some), unit=units)
@pytest.mark.parametrize(("store", "first", "last"), [(None, None, None), (2, None, 4), (None, 3, None), (0, 2, 2)])
def test_lines_of_the_chosen_store_and_days_are_kept(
    preloaded: bool, rows: Rows, unit: int, store: int | None, first: int | None, last: int | None
) -> None:
    wanted = [
        row[:3]
        for row in rows
        if (store is None or row[3] == store) and (first or 0) <= row[0] <= (6 if last is None else last)
    ]
    width = 3 if store is None else 4
    assert run(rows, width, unit, preloaded, q15.KeepLines(store, first, last)) == wanted


@every_source
@given(rows=tables(some, st.integers(0, 5), some), unit=units)
@pytest.mark.parametrize("categories", [[], [3, -1, 7, 0], [1, 2, 3, 4, 5, 0], [9, 9]])
def test_lines_get_their_category_or_go(preloaded: bool, rows: Rows, unit: int, categories: list[int]) -> None:
    wanted = [
        (categories[item], date, cents)
        for date, item, cents in rows
        if item < len(categories) and categories[item] >= 0
    ]
    assert run(rows, 3, unit, preloaded, q15.LookUpCategory(categories)) == wanted


@every_source
@given(rows=tables(st.integers(0, 40), some, st.integers(-1, 3)), unit=units, window=st.sampled_from([1, 3, 10, 100]))
def test_views_are_events_of_type_0_with_the_begin_of_their_window(
    preloaded: bool, rows: Rows, unit: int, window: int
) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    found = run(rows, 3, unit, preloaded, ysb.KeepViews(window))
    assert found == [(ts // window * window, ad) for ts, ad, kind in rows if kind == 0]


@every_source
@given(rows=tables(times, st.integers(-1, 5)), unit=units)
@pytest.mark.parametrize("campaigns", [[], [3, -1, 7, 0], [1, 2, 3, 4, 5, 0], [9, 9]])
def test_views_get_their_campaign_or_go(preloaded: bool, rows: Rows, unit: int, campaigns: list[int]) -> None:
    wanted = [(begins, campaigns[ad]) for begins, ad in rows if 0 <= ad < len(campaigns) and campaigns[ad] >= 0]
    assert run(rows, 2, unit, preloaded, ysb.LookUpCampaign(campaigns)) == wanted


@given(rows=tables(some, some, some), unit=units)
def test_columns_that_are_passed_on_survive_the_next_operator(rows: Rows, unit: int) -> None:
    """The second operator writes where the first one's input lay."""

    @stateless(emits={"date": "int64", "cents": "int64"}, numba=False)
    def copied(date: Any, cents: Any, to_date: Any, to_cents: Any) -> None:
        to_date[:], to_cents[:] = date, cents

    found = run(rows, 3, unit, False, q15.LookUpCategory([5] * 5), copied)
    assert found == [(date, cents) for date, item, cents in rows if item >= 0]


@given(lists=st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=45), max_size=6), unit=units)
@pytest.mark.parametrize("item", [None, 7])
def test_pairs_of_a_session_come_in_lexicographic_order(lists: list[list[int]], unit: int, item: int | None) -> None:
    rows = [(100 * k, 1, one) for k, session in enumerate(lists) for one in session]
    wanted: Rows = []
    for session in lists:
        distinct = sorted(set(session))
        if item is None:
            wanted += combinations(distinct, 2)
        elif item in distinct:
            wanted += [(one, item) for one in distinct if one != item]
    assert run(rows, 3, unit, True, Sessions(10), SessionPairs(item)) == wanted


@given(rows=tables(st.integers(1, 9), some, some), unit=units)
def test_abandoned_carts_are_counted_one_by_one(rows: Rows, unit: int) -> None:
    kept = [(clicks,) for clicks, last_dynamic, last_order in rows if last_dynamic > last_order]
    assert run(rows, 3, unit, True, AbandonedCarts()) == kept
    totals = [(sum(clicks for (clicks,) in kept[: k + 1]), k + 1) for k in range(len(kept))]
    assert run(rows, 3, unit, True, AbandonedCarts(), CartTotals()) == totals

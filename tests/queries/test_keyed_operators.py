"""The queries' keyed operators, one by one: as naive Python, and the same however a runtime calls them.

Units are called whole or partition by partition, as a runtime may choose from unit to unit; keys are partitioned by
hash or, where no unit is called whole, by range; they lie within the bound that the operator was told, or beyond it.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.queries.q1.operators import TicketPairs
from streambench.queries.q2.operators import Sessions
from streambench.queries.q3.operators import RecentViews
from streambench.queries.q4.operators import CartSessions
from streambench.queries.q15.operators import SalesLine
from streambench.queries.ysb.operators import CampaignViews
from typed import typed

GAP, WINDOW, DEPTH = 10, 30, 5

Rows = list[tuple[Any, ...]]


class Calls(NamedTuple):
    """How an operator is called: its partitions, (length, named) of each unit, by range or hash, bound, types."""

    partitions: int
    units: list[tuple[int, bool]]
    by_range: bool
    bound: int
    wide: bool  # columns of 64 bits


@st.composite
def calls(draw: st.DrawFn, rows: int) -> Calls:
    by_range = draw(st.booleans())
    units, left = [], rows
    while left:
        length = min(left, draw(st.integers(1, 1 + rows // 2)))
        units.append((length, by_range or draw(st.booleans())))
        left -= length
    bound = draw(st.sampled_from([1, 3, 100])) if by_range else draw(st.sampled_from([0, 1, 3, 100, 1 << 40]))
    return Calls(draw(st.integers(1, 5)), units, by_range, bound, draw(st.booleans()))


@st.composite
def streams(draw: st.DrawFn, *ranges: tuple[int, int], most: int = 150) -> tuple[list[list[int]], Calls]:
    """Columns (ts, user, ...) and how they are called: ts ascends by small steps, the others lie in ``ranges``."""
    rows, users = draw(st.integers(1, most)), draw(st.integers(1, 7))
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    steps = random.choice([0, 0, 0, 1, 2, GAP, GAP + 1], rows)
    columns = [np.cumsum(steps), *(random.integers(low, high + 1, rows) for low, high in ((0, users - 1), *ranges))]
    return [column.tolist() for column in columns], draw(calls(rows))


items = (0, 9)


def check(
    probes: SimpleNamespace, operator: Any, columns: list[list[int]], called: Calls, outputs: Rows, flushed: Rows
) -> None:
    assert operator.partition_free
    operator.high_key = called.bound
    got = probes.drive(
        operator, typed(operator, columns, called.wide), called.partitions, called.units, called.by_range
    )
    assert got[0] == outputs
    assert got[1] == flushed


@pytest.mark.slow
@pytest.mark.parametrize("hourly", [True, False])
@given(given=streams(items))
def test_a_tickets_new_item_is_paired_with_each_earlier_one(
    probes: SimpleNamespace, given: tuple[list[list[int]], Calls], hourly: bool
) -> None:
    columns, called = given
    columns[0] = [1800 * ts for ts in columns[0]]
    check(probes, TicketPairs(False, hourly), columns, called, ticket_pairs(columns, hourly), [])


@given(
    lines=st.lists(
        st.tuples(st.integers(0, 3), st.lists(st.integers(0, 9), min_size=1, max_size=9), st.booleans()), max_size=12
    ),
    data=st.data(),
)
def test_ascending_tickets_need_no_memory_of_earlier_ones(
    probes: SimpleNamespace, lines: list[tuple[int, list[int], bool]], data: st.DataObject
) -> None:
    columns: list[list[int]] = [[], [], []]
    ts = ticket = 0
    for step, some, in_order in lines:
        ticket += step
        for item in sorted(some) if in_order else some:
            ts += 0 if in_order else 1800
            for column, value in zip(columns, (ts, ticket, item), strict=True):
                column.append(value)
    called = data.draw(calls(len(columns[0])))
    check(probes, TicketPairs(True), columns, called, ticket_pairs(columns, True), [])


def ticket_pairs(columns: list[list[int]], hourly: bool) -> Rows:
    held: dict[int, list[int]] = defaultdict(list)
    pairs: Rows = []
    for ts, ticket, item in zip(*columns, strict=True):
        if item not in held[ticket]:
            pairs += [(ts // 3600 if hourly else 0, min(item, one), max(item, one)) for one in held[ticket]]
            held[ticket].append(item)
    return pairs


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("ascending", [True, False])
def test_a_ticket_may_have_any_number_of_lines(probes: SimpleNamespace, ascending: bool, in_order: bool) -> None:
    numbers = np.random.default_rng(3).permutation(150)
    some = sorted(numbers) if in_order else [*numbers, *numbers[:9]]
    columns = [[0] * len(some), [7] * len(some), [int(item) for item in some]]
    pairs = ticket_pairs(columns, True)
    for units in ([(len(some), False)], [(1, False)] * len(some), [(40, False), (len(some) - 40, True)]):
        check(probes, TicketPairs(ascending), columns, Calls(3, units, False, 0, ascending), pairs, [])


@given(given=streams(items))
def test_a_session_is_the_ascending_list_of_its_distinct_items(
    probes: SimpleNamespace, given: tuple[list[list[int]], Calls]
) -> None:
    columns, called = given
    closed, left = sessions(columns)
    distinct = [(tuple(sorted({item for _, item in session})),) for session in closed]
    flushed = [(tuple(sorted({item for _, item in session})),) for session in left]
    check(probes, Sessions(GAP), columns, called, distinct, flushed)


@given(
    lengths=st.lists(st.integers(1, 90), min_size=1, max_size=4),
    span=st.sampled_from([3, 60, 2**31 - 1]),
    seed=st.integers(0, 99),
)
def test_sessions_may_be_of_any_length(probes: SimpleNamespace, lengths: list[int], span: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    items = [[int(item) for item in random.integers(0, span, length)] for length in lengths]
    columns = [
        [k * (GAP + 1) for k, some in enumerate(items) for _ in some],
        [5 for some in items for _ in some],
        [item for some in items for item in some],
    ]
    expected = [(tuple(sorted(set(some))),) for some in items]
    called = Calls(2, [(len(columns[0]), False)], False, 0, bool(seed % 2))
    check(probes, Sessions(GAP), columns, called, expected[:-1], expected[-1:])


def sessions(columns: list[list[int]]) -> tuple[list[Rows], list[Rows]]:
    """Rows (ts, rest...) of each session in the order in which they close; and of those still open, by user."""
    opened: dict[int, Rows] = {}
    closed = []
    for ts, user, *rest in zip(*columns, strict=True):
        session = opened.setdefault(user, [])
        if session and ts - session[-1][0] > GAP:
            closed.append(session)
            opened[user] = session = []
        session.append((ts, *rest))
    return closed, [session for _, session in sorted(opened.items())]


@pytest.mark.slow
@pytest.mark.parametrize("restricted", [False, True])
@given(given=streams(items, (-2, 3)))
def test_a_purchase_emits_the_last_clicks_of_its_window_oldest_first(
    probes: SimpleNamespace, given: tuple[list[list[int]], Calls], restricted: bool
) -> None:
    columns, called = given
    wanted = [0, 1, 1, 0, 1, 1, 1]  # items beyond are not wanted either
    history: dict[int, list[tuple[int, int]]] = defaultdict(list)
    expected: Rows = []
    for ts, user, item, sales in zip(*columns, strict=True):
        if sales >= 0 and (not restricted or item == 4):
            seen = [view for at, view in history[user][-DEPTH:] if at >= ts - WINDOW]
            expected += [(item, view) for view in seen if not restricted or (view < len(wanted) and wanted[view])]
        history[user].append((ts, item))
    operator = RecentViews(WINDOW, DEPTH, 4, wanted) if restricted else RecentViews(WINDOW)
    check(probes, operator, columns, called, expected, [])


@given(given=streams((0, 2)))
def test_a_cart_session_counts_clicks_and_remembers_its_last_pages(
    probes: SimpleNamespace, given: tuple[list[list[int]], Calls]
) -> None:
    columns, called = given

    def cart(session: Rows) -> tuple[int, ...]:
        return (len(session), *(max((ts for ts, type in session if type == one), default=-1) for one in (1, 2)))

    closed, left = sessions(columns)
    check(probes, CartSessions(GAP), columns, called, [cart(one) for one in closed], [cart(one) for one in left])


@pytest.mark.slow
@given(given=streams((-5, 1000)))
def test_a_category_emits_its_line_on_the_first_sale_of_a_new_day(
    probes: SimpleNamespace, given: tuple[list[list[int]], Calls]
) -> None:
    (ts, category, cents), called = given
    day = [37_000 + each // 3 for each in ts]
    sums: dict[int, dict[int, int]] = defaultdict(dict)
    expected: Rows = []
    for one, x, y in zip(category, day, cents, strict=True):
        if x not in sums[one] and len(sums[one]) >= 2:
            expected.append((one, *line(sums[one])))
        sums[one][x] = sums[one].get(x, 0) + y
    final = [(one, *line(days)) for one, days in sorted(sums.items()) if len(days) >= 2]
    operator = SalesLine()
    operator.high_key = called.bound
    columns = typed(operator, [category, day, cents], called.wide)
    outputs, flushed = probes.drive(operator, columns, called.partitions, called.units, called.by_range)
    for got, wanted in ((outputs, expected), (flushed, final)):
        assert [row[:2] for row in got] == [row[:2] for row in wanted]
        assert [value for row in got for value in row[2:]] == pytest.approx(
            [value for row in wanted for value in row[2:]], rel=1e-12, abs=1e-12
        )
    assert [row[0] for row in operator.lines()] == [row[0] for row in final]
    assert operator.lines() == operator.lines()


@given(given=streams(), window=st.sampled_from([1, GAP, 3 * GAP]), begin=st.sampled_from([0, 5, (1 << 62) + 1]))
def test_a_campaign_emits_a_window_on_its_first_view_in_a_later_one(
    probes: SimpleNamespace, given: tuple[list[list[int]], Calls], window: int, begin: int
) -> None:
    (ts, campaign), called = given
    ts = [begin + each for each in ts]
    opened: dict[int, tuple[int, int]] = {}
    expected: Rows = []
    for at, one in zip(ts, campaign, strict=True):
        begins, n = opened.get(one, (at // window, 0))
        if at // window > begins:
            expected.append((begins * window, one, n))
            n = 0
        opened[one] = (at // window, n + 1)
    flushed = [(begins * window, one, n) for one, (begins, n) in sorted(opened.items())]
    begun = [at // window * window for at in ts]
    check(probes, CampaignViews(), [begun, campaign], called, expected, flushed)


def line(days: dict[int, int]) -> tuple[int, float, float]:
    n, x, y = len(days), sum(days), sum(days.values())
    xy, xx = sum(one * cents for one, cents in days.items()), sum(one * one for one in days)
    slope = Fraction(n * xy - x * y, n * xx - x * x)
    return n, float(slope / 100), float((y - slope * x) / n / 100)

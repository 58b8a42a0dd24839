"""The hand-written loops, which the engines are measured against, answer what SQL and naive Python answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_data
from hypothesis import given, settings
from hypothesis import strategies as st
from streambench.queries.baselines.pace import Pace

from streambench.errors import DataError, OptionError
from streambench.execution.options import Options
from streambench.lab.answers import oracle
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.perf.query_bars import prolonged_workload
from streambench.lab.measure.perf.query_loop import LOOPS, QueryLoop, same
from streambench.lab.workloads.workload import Workload

pytestmark = pytest.mark.slow  # compiles loops of its own

QUERIES = ("q1", "q2", "q3", "q4", "q15", "ysb")
SEEDS = (1, 2, 4, 5)  # tickets ascend
HOUR = 3600


@pytest.fixture(scope="module")
def catalogs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Catalog]:
    root = tmp_path_factory.mktemp("small")
    return {seed: Catalog.open(small_data.make(root / str(seed), seed).path) for seed in SEEDS}


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_each_loop_answers_what_sql_answers(catalogs: dict[int, Catalog], seed: int, query: str) -> None:
    workload = Workload(query, catalogs[seed])
    loop = QueryLoop(workload)
    seconds, left = loop.run()
    assert seconds > 0
    assert oracle.difference(query, loop.answer(left), workload.expected_answer()) is None
    assert loop.answer(left).schema == workload.expected_answer().schema
    assert same(loop.run()[1], left)


@pytest.mark.parametrize("query", QUERIES)
def test_over_several_laps_each_loop_answers_what_serial_does(catalogs: dict[int, Catalog], query: str) -> None:
    workload = Workload(query, catalogs[5])
    longer = prolonged_workload(workload, 3)
    _, replayed = workload.run(Options(engine="serial", preload=True, laps=3), keep=True)
    _, laid_out = longer.run(Options(engine="serial", preload=True), keep=True)
    assert laid_out.sink.digest == replayed.sink.digest
    loop = QueryLoop(longer)
    assert oracle.difference(query, loop.answer(loop.run()[1]), workload.answer(replayed)) is None


@pytest.mark.parametrize("query", QUERIES)
def test_an_empty_stream_leaves_what_sql_answers(tmp_path: Path, query: str) -> None:
    small_data.write(tmp_path / "d", [], [], {}, {})
    workload = Workload(query, Catalog.open(tmp_path / "d"))
    loop = QueryLoop(workload)
    assert oracle.difference(query, loop.answer(loop.run()[1]), workload.expected_answer()) is None


@pytest.mark.parametrize("query", QUERIES)
def test_a_loop_over_other_rows_does_not_pass_for_the_right_one(catalogs: dict[int, Catalog], query: str) -> None:
    workload, expected = Workload(query, catalogs[1]), Workload(query, catalogs[1]).expected_answer()
    assert workload.stream is not None
    half = tuple(column[: workload.rows // 2] for column in workload.stream.columns)
    whole = QueryLoop(workload).run()[1]
    workload.stream = replace(workload.stream, columns=half, rows=workload.rows // 2)
    loop = QueryLoop(workload)
    _, left = loop.run()
    assert not same(left, whole)
    assert oracle.difference(query, loop.answer(left), expected) is not None


@pytest.mark.parametrize("query", ["q1", "q15"])
def test_days_hours_and_categories_may_be_zero(tmp_path: Path, query: str) -> None:
    """What stands for "none yet" in the loops is no value of the stream."""
    sales = [small_data.Sale(day, 5 * day, day // 2, item, 1, Decimal(1)) for day in range(4) for item in (0, 1)]
    small_data.write(tmp_path / "d", sales, [], {0: 0, 1: 0}, {})
    workload = Workload(query, Catalog.open(tmp_path / "d"))
    loop = QueryLoop(workload)
    answer = loop.answer(loop.run()[1])
    assert answer.num_rows > 0
    assert oracle.difference(query, answer, workload.expected_answer()) is None


# Mostly the same hour and ticket, so that an hour has many more pairs than are kept.
LATER = st.sampled_from((*[0] * 30, 1, 1800, HOUR))
NEW_TICKET = st.sampled_from((*[False] * 7, True))
LINES = st.lists(st.tuples(LATER, NEW_TICKET, st.integers(0, 15)), min_size=1, max_size=120)


@settings(max_examples=300)
@given(lines=LINES, top=st.integers(1, 6))
def test_the_top_of_an_hour_is_that_of_all_its_pairs_sorted(lines: list[Any], top: int) -> None:
    """Few items and small tops: limits are set again and again, and pairs seen often push out those seen once."""
    ts, ticket, rows, held = 0, 0, [], set[int]()
    pairs: list[tuple[int, int, int]] = []  # hour, a, b
    for later, next_ticket, item in lines:
        ts += later
        if next_ticket:
            ticket, held = ticket + 1, set()
        rows.append((ts, ticket, item))
        if item not in held:
            pairs += [(ts // HOUR, min(item, other), max(item, other)) for other in held]
            held.add(item)
    wanted = []
    for _, hour in groupby(pairs, key=lambda pair: pair[0]):
        counted = sorted(Counter(hour).items(), key=lambda each: (-each[1], each[0]))
        wanted += [(*pair, n) for pair, n in counted[:top]]
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    _, left = LOOPS["q1"](Pace(len(rows)), *columns, top)
    assert list(zip(*(column.tolist() for column in left), strict=True)) == wanted


@settings(max_examples=100)
@given(sessions=st.lists(st.lists(st.integers(0, 30), max_size=8), max_size=30), top=st.integers(1, 5))
def test_the_top_of_a_stream_is_that_of_all_its_pairs_sorted(sessions: list[Any], top: int) -> None:
    """One user whose sessions lie a gap apart: more pairs than the loop keeps while it looks for the best."""
    rows = [(10 * number, 0, item) for number, session in enumerate(sessions) for item in session]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T.copy()
    counted = Counter((a, b) for each in sessions for a in set(each) for b in set(each) if a < b)
    wanted = sorted(((*pair, n) for pair, n in counted.items()), key=lambda row: (-row[2], row[:2]))[:top]
    _, left = LOOPS["q2"](Pace(len(columns[0])), *columns, users=1, gap=9, top=top)
    assert list(zip(*(column.tolist() for column in left), strict=True)) == wanted


def test_tickets_that_come_back_are_refused(tmp_path: Path) -> None:
    data = small_data.make(tmp_path / "d", 3, tickets_ascend=False)
    with pytest.raises(DataError, match="do not ascend, which the hand-written loop of q1 relies on"):
        QueryLoop(Workload("q1", Catalog.open(data.path)))


def test_other_parameters_and_streams_that_are_not_in_memory_are_refused(catalogs: dict[int, Catalog]) -> None:
    for workload in (Workload("q1", catalogs[1], "kit"), Workload("q1", catalogs[1], preload=False)):
        with pytest.raises(OptionError, match="takes the paper's parameter set and a stream in memory"):
            QueryLoop(workload)

"""QJoin, the query over two streams: what naive Python and SQL say, in every engine; its edges by hand; one lap."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import naive
import pyarrow as pa
import pytest
import small_data
from small_data import DAY, Click, SmallData

import streambench
import streambench.lab
from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.execution.plans import NAMED
from streambench.lab.answers import oracle
from streambench.lab.check.grid import Grid
from streambench.lab.check.verify import verify
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.frame import BenchData, measure
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.measure.query_bench import QueryBench
from streambench.lab.workloads.workload import Workload
from streambench.queries.qjoin.parameters import PARAMETERS

AUTO, WHOLE, CUT, SHARDED = NAMED
RUNS = (
    Options(engine="serial", unit=1),
    Options(engine="serial"),
    Options(workers=1, plan=AUTO),
    Options(workers=2, unit=1, partitions=10, plan=SHARDED),
    Options(workers=3, unit=16, partitions=10, plan=CUT, credit=2),
    Options(workers=3, unit=1024, plan=WHOLE),
    Options(heuristic="ct", workers=3, unit=7, partitions=10, fuse=False),
    Options(heuristic="lp", workers=2, reorder="lock", partitioning="shared"),
)
DATE, NOON, USER, ORDER = 37_000, DAY // 2, 5, 9
TEN_DAYS = PARAMETERS["paper"]["window"]
CATEGORIES = {0: 1, 1: 1, 2: 1, 3: 2, 4: None}
UNKNOWN = 77


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.to_pylist()]


@pytest.mark.parametrize("parameter_set", PARAMETERS)
@pytest.mark.parametrize("seed", range(4))
def test_every_engine_emits_and_answers_what_naive_python_and_sql_do(
    tmp_path: Path, seed: int, parameter_set: str
) -> None:
    data = small_data.make(tmp_path / "d", seed)
    sequence, answer = naive.run("qjoin", data, PARAMETERS[parameter_set])
    assert len(sequence) > 20
    catalog = Catalog.open(data.path)
    assert rows(oracle.emitted(catalog, "qjoin", parameter_set)) == sequence
    workload = Workload("qjoin", catalog, parameter_set)
    for options in RUNS:
        options = replace(options, pin=False, preload=True)
        measured, pipeline = workload.run(options, keep=True)
        assert rows(workload.emitted(pipeline)) == sequence
        assert rows(workload.answer(pipeline)) == answer
        assert workload.check(options, measured, pipeline) == (True, True, None)


def written(path: Path, *clicks: Click) -> SmallData:
    ordered = sorted(clicks, key=small_data.click_order)
    small_data.write(path, [], ordered, CATEGORIES, {0: "order"})
    return SmallData(path, [], ordered, CATEGORIES, {0: "order"}, [], {})


def view(before: int, item: int | None, user: int | None = USER, page: int | None = 0) -> Click:
    """So many seconds before the purchase; what comes after it is negative."""
    ts = DATE * DAY + NOON - before
    return Click(ts // DAY, ts % DAY, user, None, item, page)


def purchase(item: int | None, user: int | None = USER, order: int = ORDER, page: int | None = 0) -> Click:
    return Click(DATE, NOON, user, order, item, page)


EDGES: dict[str, tuple[list[Click], list[tuple[int, int, int]]]] = {
    "as old as the window": ([view(TEN_DAYS, 1), purchase(0)], [(0, 1, 1)]),
    "a second older": ([view(TEN_DAYS + 1, 1), purchase(0)], []),
    "in the same second": ([view(0, 1), purchase(0)], [(0, 1, 1)]),
    "a second after": ([view(-1, 1), purchase(0)], []),
    "before the one order, after the other": (
        [view(60, 1), purchase(0), view(-60, 2), Click(DATE, NOON + 120, USER, ORDER + 1, 0, 0)],
        [(0, 1, 1), (0, 1, 2), (0, 2, 1)],
    ),
    "of another user": ([view(60, 1, user=USER + 1), purchase(0)], []),
    "of no user": ([view(60, 1, user=None), purchase(0, user=None)], []),
    "of no item": ([view(60, None), purchase(0), purchase(None)], []),
    "of the same item": ([view(60, 0), purchase(0)], [(0, 0, 1)]),
    "of another category": ([view(60, 3), purchase(0)], []),
    "of items without category": ([view(60, 4), purchase(4)], []),
    "of unknown items": ([view(60, UNKNOWN), purchase(UNKNOWN)], []),
    "equal clicks": ([view(60, 1), view(60, 1), purchase(0), purchase(0)], [(0, 1, n) for n in (1, 2, 3, 4)]),
    "no page": ([view(60, 1, page=None), purchase(0, page=None)], [(0, 1, 1)]),
    "several of both": (
        [view(9, 2), view(60, 1), purchase(1), purchase(0), purchase(2, order=ORDER - 1)],
        [(2, 1, 1), (2, 2, 1), (0, 1, 1), (0, 2, 1), (1, 1, 1), (1, 2, 1)],
    ),
    "the first keys": ([view(60, 0, user=0, page=0), purchase(0, user=0, order=0)], [(0, 0, 1)]),
    "purchases alone": ([purchase(0)], []),
    "nothing at all": ([], []),
}


@pytest.mark.parametrize("edge", EDGES)
def test_at_the_edges_all_agree(tmp_path: Path, edge: str) -> None:
    clicks, wanted = EDGES[edge]
    data = written(tmp_path / "d", *clicks)
    assert naive.run("qjoin", data, PARAMETERS["paper"])[0] == wanted
    result = streambench.lab.run("qjoin", data.path, workers=2, unit=1, keep_emitted=True)
    assert result.emitted is not None
    assert rows(result.emitted) == wanted
    assert result.sequence_ok
    assert result.answer_ok


def test_wide_keys_are_joined_too(tmp_path: Path) -> None:
    """Users beyond 2**31 take all keys to 64 bits."""
    user = 1 << 40
    data = written(tmp_path / "d", view(60, 1, user=user), view(60, 1, user=user + (1 << 32)), purchase(0, user=user))
    result = streambench.lab.run("qjoin", data.path, workers=2, keep_emitted=True)
    assert result.emitted is not None
    assert rows(result.emitted) == [(0, 1, 1)]
    assert result.tuples == 1
    assert result.sequence_ok


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return Catalog.open(small_data.make(tmp_path_factory.mktemp("qjoin") / "d", 3).path)


def test_more_laps_than_one_are_refused(small: Catalog) -> None:
    with pytest.raises(OptionError) as refused:
        streambench.lab.run("qjoin", small, preload=True, laps=3)
    assert str(refused.value) == "3 laps do not fit, 1 does: the streams that qjoin joins do not come again."


def test_both_streams_are_in_memory_whatever_is_said(small: Catalog) -> None:
    read = streambench.lab.run("qjoin", small, preload=False)
    assert read.options["preload"]
    assert read.sequence_ok
    assert read.digest == streambench.lab.run("qjoin", small, preload=True).digest


@pytest.mark.slow
def test_verify_says_that_it_is_right_and_has_one_lap(small: Catalog) -> None:
    (verdict,) = verify(small, ["qjoin"], ["paper"], Grid(covering=True)).verdicts
    assert verdict.mismatches == []
    assert verdict.runs > 20
    assert verdict.note is not None
    assert "the streams that qjoin joins do not come again" in verdict.note


@pytest.mark.slow
def test_bench_measures_it_when_asked(small: Catalog) -> None:
    document = measure(QueryBench(["qjoin"], [2], repeats=1, min_seconds=0.01), data=BenchData(small, ["qjoin"]))
    assert [run["sequence_ok"] for run in document["runs"]] == [True, True]
    pairs = {run["tuples"] for run in document["runs"]}
    assert pairs == {streambench.lab.run("qjoin", small, check=False).tuples}


def test_perf_has_nothing_to_measure_it_against() -> None:
    with pytest.raises(OptionError, match="qjoin has no hand-written loop to be measured against: leave it out"):
        PerfSettings(queries=("q1", "qjoin"))

"""Several laps are one longer stream, by plain Python, by SQL and by every engine; what each lap causes is counted."""

from __future__ import annotations

import importlib
from typing import Any

import lap_edges
import naive
import numpy as np
import pyarrow as pa
import pytest
import small_data
from repeated import repeated
from streambench.queries.q15.operators import LookUpCategory

import streambench
import streambench.lab
from streambench.execution import lap_counts
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.lab.answers import oracle
from streambench.lab.data.catalog import Catalog
from streambench.lab.workloads import workload
from streambench.lab.workloads.workload import Workload
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

pytestmark = pytest.mark.slow  # every query in many laps

QUERIES = ("q1", "q2", "q3", "q4", "q15", "ysb")
SETS = ("paper", "kit")
ENGINES = (
    Options(engine="serial", preload=True),
    Options(workers=2, preload=True, pin=False),
    Options(workers=3, unit=5, plan="sharded", preload=True, pin=False),
    Options(workers=2, unit=7, partitioning="hybrid", preload=True, pin=False),
)


@pytest.fixture(scope="module")
def directories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, small_data.SmallData]:
    root = tmp_path_factory.mktemp("laps")
    made = {
        str(seed): small_data.make(
            root / str(seed), seed, tickets=60, users=8, clicks_per_user=20, tickets_ascend=seed % 2 == 0
        )
        for seed in (4, 7)
    }
    return {**made, "one day": lap_edges.one_day(root / "one-day")}


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.to_pylist()]


@pytest.mark.parametrize("laps", [1, 2, 3, 5])
@pytest.mark.parametrize("parameter_set", SETS)
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("name", ["4", "7", "one day"])
def test_plain_python_sql_and_every_engine_agree_on_the_sequence_and_the_answer(
    directories: dict[str, small_data.SmallData], name: str, query: str, parameter_set: str, laps: int
) -> None:
    data = directories[name]
    rules = importlib.import_module(f"streambench.queries.{query}.parameters")
    catalog = Catalog.open(data.path)
    sequence, answer = naive.run(query, repeated(data, laps), rules.PARAMETERS[parameter_set])
    said = oracle.emitted(catalog, query, parameter_set, laps=laps)
    answered = oracle.expected(catalog, query, parameter_set, laps=laps)
    for found, wanted in ((said, sequence), (answered, answer)):
        assert len(rows(found)) == len(wanted)
        for ours, theirs in zip(rows(found), wanted, strict=True):
            assert ours == pytest.approx(theirs, rel=1e-9, abs=0.0)
    loaded = Workload(query, catalog, parameter_set)
    for options in ENGINES:
        asked = Options.of(options, laps=laps)
        measured, pipeline = loaded.run(asked, keep=True)
        assert oracle.sequence_difference(query, loaded.emitted(pipeline), said) is None
        assert oracle.difference(query, loaded.answer(pipeline), answered) is None
        assert loaded.check(asked, measured, pipeline) == (True, True, None)


@pytest.mark.parametrize("parameter_set", SETS)
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("name", ["4", "7", "one day"])
def test_a_query_settles_when_it_says_so(
    directories: dict[str, small_data.SmallData],
    name: str,
    query: str,
    parameter_set: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """SQL over all laps, which nothing shortens, says of each one what it says of the last before they are the same."""
    catalog = Catalog.open(directories[name].path)
    rules = importlib.import_module(f"streambench.queries.{query}.parameters")
    short = oracle.by_lap(catalog, query, parameter_set, laps=400)
    monkeypatch.setattr(rules, "settled", lambda *words: 1 << 20)
    laps = short.num_rows + 4
    whole = rows(oracle.by_lap(catalog, query, parameter_set, laps=laps))
    *known, _ = rows(short)
    assert [row[1:] for row in whole[:-1]] == [row[1:] for row in known] + [known[-1][1:]] * (laps - len(known))


@pytest.mark.parametrize("options", ENGINES, ids=["serial", "chosen", "sharded", "schemes"])
@pytest.mark.parametrize("parameter_set", SETS)
@pytest.mark.parametrize("query", QUERIES)
def test_every_engine_counts_what_each_lap_causes(
    directories: dict[str, small_data.SmallData], query: str, parameter_set: str, options: Options
) -> None:
    for data in directories.values():
        loaded = Workload(query, Catalog.open(data.path), parameter_set)
        for laps in (2, 9):
            measured, pipeline = loaded.run(Options.of(options, laps=laps), keep=False)
            assert loaded.lap_problem(laps, measured) is None
            assert measured.laps is not None
            sink = [(count, given[-1]) for count, given in measured.laps.laps]
            assert sum(count for count, _ in sink) == laps
            assert sum(count * n for count, n in sink) + measured.laps.flushed[-1] == pipeline.sink.tuples


def test_the_days_edges_are_seen(directories: dict[str, small_data.SmallData]) -> None:
    """A session over midnight, a gap of exactly an hour there, and a ring that five laps fill."""
    catalog = Catalog.open(directories["one day"].path)
    by_lap = oracle.by_lap(catalog, "q3", "paper", laps=9).column("sink").to_pylist()
    assert len(by_lap) - 1 == 6
    assert by_lap[:6] == sorted(by_lap[:6])
    assert len(set(by_lap[:6])) == 6
    one, three = (oracle.emitted(catalog, "q2", "paper", laps=laps).to_pylist() for laps in (1, 3))
    pairs = [{(row["item_a"], row["item_b"]): row["n"] for row in table} for table in (one, three)]
    assert pairs[1][4, 10_001] > pairs[0].get((4, 10_001), 0)  # user 1's last click and the next day's first


def test_a_result_tells_what_each_lap_gave_the_operators(directories: dict[str, small_data.SmallData]) -> None:
    result = streambench.lab.run("q3", directories["4"].path, laps=6, preload=True, workers=1)
    assert result.sequence_ok
    assert result.lap_counts is not None
    assert result.lap_counts["operators"] == ["TableSource", "KnownClicks", "RecentViews", "PairCounts", "TableSink"]
    assert sum(each["laps"] for each in result.lap_counts["by_lap"]) == 6
    assert result.lap_counts["by_lap"][0]["given"][1] * 6 == result.tuples
    assert result.to_json()["lap_counts"] == result.lap_counts


def test_laps_that_never_settle_take_bounded_memory() -> None:
    """Every second lap keeps nothing: 10,000 laps of two kinds that never stand together."""
    categories = np.where(np.arange(10_000) % 2, 3, -1)
    columns = [np.zeros(1, dtype=np.int64)] * 3
    source = TableSource(columns, ("date", "ss_item_sk", "cents"), lap_shift=(0, 1, 0), laps=10_000)
    result = Pipeline([source, LookUpCategory(categories), TableSink()]).run(workers=1)
    assert result.lap_counts is not None
    by_lap = [(each["laps"], each["given"][-1]) for each in result.lap_counts["by_lap"]]
    assert by_lap == [(1, 0), (1, 1)] * 2_048
    assert result.lap_counts["flushed"][-1] + 2_048 == result.output_tuples == 5_000


def test_of_many_laps_one_is_compared_and_all_are_counted(
    directories: dict[str, small_data.SmallData], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workload, "SQL_TUPLES", 0)
    asked: list[int] = []
    true = oracle.expected
    monkeypatch.setattr(oracle, "expected", lambda *words, laps=1: (asked.append(laps), true(*words, laps=laps))[1])
    for query in QUERIES:
        result = streambench.lab.run(query, directories["4"].path, laps=30, preload=True, workers=2)
        assert (result.sequence_ok, result.answer_ok, result.problem) == (True, True, None)
    assert set(asked) == {1}


EXPECTED = pa.table({"lap": [0, 1, None], "last_operator": [5, 7, 1], "sink": [2, 3, 9]})


@pytest.mark.parametrize(
    ("by_lap", "flushed", "laps", "sentence"),
    [
        ([(1, 5, 2), (3, 7, 3)], (9, 9), 4, None),  # at the end of 4 laps SQL has not looked
        ([(1, 5, 2), (1, 7, 3)], (1, 9), 2, None),
        ([(1, 5, 2)], (1, 9), 2, "1 laps were counted instead of 2."),
        (
            [(1, 5, 2), (1, 7, 3)],
            (1, 8),
            2,
            "The end of the stream gave TopPairs 1 tuples and TableSink 8 tuples where",
        ),
        ([(1, 5, 1), (1, 7, 3)], (1, 9), 2, "Lap 1 of 2 gave TopPairs 5 tuples and TableSink 1 tuples where SQL says"),
        (
            [(1, 5, 2), (3, 7, 3), (1, 6, 3)],
            (1, 9),
            5,
            "Lap 5 of 5 gave TopPairs 6 tuples and TableSink 3 tuples where",
        ),
        ([(2, 5, 2), (3, 7, 3)], (1, 9), 5, "Lap 2 of 5 gave TopPairs 5"),
    ],
)
def test_counts_that_are_not_sqls_are_told_by_their_lap(
    by_lap: list[tuple[int, ...]], flushed: tuple[int, int], laps: int, sentence: str | None
) -> None:
    counted = tuple((count, (0, *given)) for count, *given in by_lap)
    counts = lap_counts.LapCounts(("TableSource", "TopPairs", "TableSink"), counted, (0, *flushed))
    found = lap_counts.difference(counts, EXPECTED, laps)
    assert found == sentence if sentence is None else str(found).startswith(sentence)

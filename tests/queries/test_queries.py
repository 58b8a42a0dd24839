"""Each query's operators, by every engine and option, emit what a naive Python program emits, and answer the same."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pyarrow as pa
import pytest
import small_data
from repeated import repeated

import streambench
import streambench.lab
from streambench.errors import DataError
from streambench.execution.measurement import Measurement
from streambench.execution.options import Options
from streambench.execution.plans import NAMED
from streambench.lab.answers import oracle
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.loader import REPLAY_ORDER
from streambench.lab.workloads.workload import Workload

QUERIES = ("q1", "q2", "q3", "q4", "q15", "ysb")
SETS = ("paper", "kit")
SEEDS = range(8)

# Small streams end before a plan that is chosen can leave one worker: most plans are named.
AUTO, WHOLE, CUT, SHARDED = NAMED
SERIAL = (Options(engine="serial", unit=1), Options(engine="serial"), Options(engine="serial", unit=3))
ORDERED = (
    Options(workers=1, unit=7, partitions=10),
    Options(workers=2),
    Options(workers=4, unit=7, partitions=10, plan=WHOLE),
    Options(workers=3, unit=64, partitions=10, plan=CUT, credit=2),
    Options(workers=3, unit=7, partitions=10, plan=SHARDED, credit=2),
    Options(workers=8, unit=1, partitions=100, plan=SHARDED),
    Options(workers=8, unit=1 << 16, partitions=4096, plan=SHARDED),
)
SCHEMES = (
    Options(heuristic="ct", workers=2, unit=1, partitions=100, fuse=False),
    Options(heuristic="ct", workers=4, unit=7, partitions=3, fuse=False, credit=2),
    Options(heuristic="ct", workers=8, unit=64, partitions=100),
)
UNPINNED = tuple(replace(options, pin=False) for options in (*SERIAL, *ORDERED, *SCHEMES))


def rules(query: str) -> Any:
    return importlib.import_module(f"streambench.queries.{query}.parameters")


def name_of(options: Options) -> str:
    if options.engine == "serial":
        return f"serial-unit{options.unit}"
    how = options.plan if not options.heuristic else "schemes" if options.fuse else "schemes-unfused"
    return f"{how}-workers{options.workers}-unit{options.unit}-partitions{options.partitions}"


def ran_as_named(measured: Measurement, options: Options) -> None:
    """The plan in the options is the one that ran: it has segments, and its shards take units group by group."""
    if options.plan in (AUTO, WHOLE):
        return
    (choice,) = measured.choices
    assert " | " in choice["plan"]
    assert (f" x{options.partitions}" in choice["plan"]) == (options.plan == SHARDED)
    units, most = measured.profile[0]["visits"], max(stage["visits"] for stage in measured.profile[:-1])
    flushed = 1  # whoever holds rows back is visited once more at the end
    if options.plan == SHARDED and options.unit == 1 << 16:
        assert most > units + flushed, "all keys in a unit or two: they are several groups"
    if options.plan == CUT:
        assert most <= units + flushed


def same(got: pa.Table, wanted: naive.Rows, exact: bool) -> None:
    """Rows are equal, in order; floats to 1e-9 relative, as naive Python rounds once and the operators more often."""
    rows = [tuple(row.values()) for row in got.to_pylist()]
    assert len(rows) == len(wanted)
    if exact:
        assert rows == wanted
        return
    for ours, theirs in zip(rows, wanted, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-9, abs=0.0, nan_ok=False)


@pytest.fixture(scope="module")
def directories(tmp_path_factory: pytest.TempPathFactory) -> dict[int, small_data.SmallData]:
    root = tmp_path_factory.mktemp("small")
    return {seed: small_data.make(root / str(seed), seed, tickets_ascend=seed % 3 != 0) for seed in SEEDS}


@pytest.mark.parametrize("preload", [True, False], ids=["preloaded", "read-as-it-goes"])
@pytest.mark.parametrize("parameter_set", SETS)
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_engine_emits_and_answers_what_naive_python_does(
    directories: dict[int, small_data.SmallData], seed: int, query: str, parameter_set: str, preload: bool
) -> None:
    data = directories[seed]
    sequence, answer = naive.run(query, data, rules(query).PARAMETERS[parameter_set])
    workload = Workload(query, Catalog.open(data.path), parameter_set, preload=preload)
    exact = query not in {"q4", "q15"}
    digests = set()
    # What differs between two seeds is the data: each seed takes its own part of the options, all of them twice.
    for options in UNPINNED[seed % 4 :: 4] if not preload else UNPINNED[seed % 2 :: 2]:
        measured, pipeline = workload.run(replace(options, preload=preload), keep=True)
        ran_as_named(measured, options)
        same(workload.emitted(pipeline), sequence, query != "q15")
        same(workload.answer(pipeline), answer, exact)
        digests.add(pipeline.sink.digest)
        assert oracle.difference(query, workload.answer(pipeline), workload.expected_answer()) is None
    assert len(digests) == 1  # which holds floats, too, to the last bit


@pytest.mark.slow
@pytest.mark.parametrize("options", UNPINNED, ids=name_of)
@pytest.mark.parametrize("query", QUERIES)
def test_laps_are_one_longer_stream(tmp_path: Path, query: str, options: Options) -> None:
    data = small_data.make(tmp_path / "d", 5, tickets=60, clicks_per_user=20)
    workload = Workload(query, Catalog.open(data.path), preload=True)
    measured, pipeline = workload.run(replace(options, laps=3, preload=True), keep=True)
    ran_as_named(measured, options)
    sequence, answer = naive.run(query, repeated(data, 3), rules(query).PARAMETERS["paper"])
    same(workload.emitted(pipeline), sequence, query != "q15")
    same(workload.answer(pipeline), answer, query not in {"q4", "q15"})


@pytest.mark.slow
@pytest.mark.parametrize("parameter_set", SETS)
@pytest.mark.parametrize("query", QUERIES)
def test_a_shuffled_stream_that_is_sorted_gives_what_the_stream_in_order_gives(
    tmp_path: Path, query: str, parameter_set: str
) -> None:
    ordered = small_data.make(tmp_path / "ordered", 7)
    shuffled = small_data.make(tmp_path / "shuffled", 7, in_order=False)
    runs = [
        streambench.lab.run(query, data.path, parameters=parameter_set, workers=2, unit=16, preload=True, sort=sort)
        for data, sort in ((ordered, False), (shuffled, True))
    ]
    assert runs[0].digest == runs[1].digest
    assert all(run.sequence_ok and run.answer_ok for run in runs)
    assert runs[0].answer == runs[1].answer


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES)
def test_a_shuffled_stream_is_refused_by_file_and_row(tmp_path: Path, query: str) -> None:
    data = small_data.make(tmp_path / "d", 7, in_order=False)
    with pytest.raises(DataError, match=r"is not in replay order: row \d+ of .*part-\d+\.parquet"):
        streambench.lab.run(query, data.path)


@pytest.mark.slow
@pytest.mark.parametrize("preload", [True, False], ids=["preloaded", "read-as-it-goes"])
@pytest.mark.parametrize("options", UNPINNED[::3], ids=name_of)
@pytest.mark.parametrize("query", QUERIES)
def test_an_empty_stream_emits_nothing_and_answers_as_sql_does(
    tmp_path: Path, query: str, options: Options, preload: bool
) -> None:
    small_data.write(tmp_path / "d", [], [], {}, {})
    result = streambench.lab.run(query, tmp_path / "d", options=replace(options, preload=preload), keep_emitted=True)
    assert result.tuples == 0
    assert result.output_tuples == 0
    assert result.emitted is not None
    assert result.emitted.num_rows == 0
    assert result.sequence_ok
    assert result.answer_ok
    assert result.answer is not None
    assert result.answer.column_names == list(rules(query).ANSWER)


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES)
def test_answers_and_sequences_have_the_columns_and_types_of_their_query(
    directories: dict[int, small_data.SmallData], query: str
) -> None:
    result = streambench.lab.run(query, directories[2].path, workers=2, keep_emitted=True)
    assert result.answer is not None
    assert result.emitted is not None
    assert result.answer.column_names == list(rules(query).ANSWER)
    assert result.emitted.column_names == list(rules(query).EMITTED)
    floats = {"slope", "intercept", "pages_per_session"}
    for table in (result.answer, result.emitted):
        for field in table.schema:
            assert field.type == (pa.float64() if field.name in floats else pa.int64())


@pytest.mark.slow
@pytest.mark.parametrize("preload", [False, True])
@pytest.mark.parametrize("query", QUERIES)
def test_range_partitioning_gives_the_same_sequence(
    directories: dict[int, small_data.SmallData], query: str, preload: bool
) -> None:
    laps = 3 if preload else 1  # tickets are renumbered beyond the range of one lap
    result = streambench.lab.run(
        query,
        directories[2].path,
        workers=2,
        unit=7,
        plan=SHARDED,
        partitions=10,
        partition_by="range",
        preload=preload,
        laps=laps,
    )
    assert " x10" in result.choices[0]["plan"]
    assert result.sequence_ok
    assert result.answer_ok


@pytest.mark.parametrize("query", QUERIES)
def test_traces_of_operators_are_the_same_for_every_engine(
    directories: dict[int, small_data.SmallData], query: str
) -> None:
    workload = Workload(query, Catalog.open(directories[1].path), preload=True)
    traces = []
    fused = [replace(options, fuse=True) for options in SCHEMES]
    for options in (*SERIAL, *SCHEMES, *fused):
        measured, _ = workload.run(replace(options, trace=True, preload=True, pin=False), keep=False)
        traces.append(measured.traces)
    reference = traces[0]
    assert len(set(reference.values()) - {0}) >= 3  # an operator may pass everything on, most do not
    for trace in traces:
        assert set(trace) <= set(reference)
        assert trace == {place: reference[place] for place in trace}
    assert any(set(trace) == set(reference) for trace in traces)  # unfused, all places are compared


def test_a_slow_rate_changes_no_output(directories: dict[int, small_data.SmallData]) -> None:
    runs = [
        streambench.lab.run("q3", directories[1].path, workers=2, preload=True, rate=rate) for rate in (0.0, 20_000.0)
    ]
    assert runs[0].digest == runs[1].digest
    assert runs[0].latency_end_to_end is None
    assert runs[1].latency_end_to_end is not None
    assert np.isfinite(list(runs[1].latency_end_to_end.values())).all()


def test_the_naive_program_sorts_by_the_loaders_replay_order() -> None:
    assert REPLAY_ORDER["store_sales"] == ("ts", "ss_ticket_number", "ss_item_sk")
    assert REPLAY_ORDER["ad_events"] == ("ts", "ae_user_sk", "ae_page_sk", "ae_ad_sk", "ae_event_type")
    assert REPLAY_ORDER["web_clickstreams"][1:] == ("wcs_user_sk", "wcs_sales_sk", "wcs_item_sk", "wcs_web_page_sk")

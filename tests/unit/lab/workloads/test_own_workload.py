"""An own pipeline is built once for each run, and compared with the serial engine's sequence and SQL's."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from own_pipelines import COUNT, KEEP, TUPLES, OwnModule, own_module

import streambench
import streambench.lab
from streambench.errors import DataError, OptionError
from streambench.execution.options import Options
from streambench.lab.check.grid import Grid
from streambench.lab.check.verify import verify
from streambench.lab.measure.checked_run import checked_run, one_lap
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.pyx.table_sink import TableSink

TWO = Options(workers=2, unit=64, plan="sharded", partitions=4, pin=False)
TELLS = """
from probe_rule_breakers import TellsPartition

def tells():
    return pipeline(TableSource(arrays[:2], ("key", "value")), TellsPartition())

def longer():
    global calls
    calls += 1
    return pipeline(TableSource([np.arange(calls)], ("key",)))

def empty():
    return pipeline(TableSource([[]], ("key",)))

def twice():
    return pipeline(TableSource(arrays[:2], ("key", "value"), (0, 5), 2))
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, probes: SimpleNamespace) -> OwnModule:
    return own_module(tmp_path, monkeypatch, TELLS)


def module(mine: OwnModule) -> Any:
    return sys.modules[mine.name]


def test_the_function_is_called_once_for_each_run(mine: OwnModule) -> None:
    workload = OwnWorkload(mine["keep"], mine.sql(KEEP))
    for runs in (1, 2, 3):
        workload.run(TWO, keep=False)
        assert module(mine).calls == runs
    assert workload.reference.problem is None
    assert module(mine).calls == 4
    assert workload.serial_digest(1) == workload.reference.digest
    assert module(mine).calls == 4


def test_the_reference_is_what_numpy_says(mine: OwnModule) -> None:
    workload = OwnWorkload(mine["keep"])
    _, pipeline = workload.run(TWO, keep=True)
    arrays = module(mine).arrays
    wanted = np.isin(arrays[3], [1, 2])
    for name, array in zip(("ts", "ss_ticket_number", "ss_item_sk"), arrays, strict=False):
        assert workload.emitted(pipeline).column(name).to_pylist() == array[wanted].tolist()
    assert (workload.rows, workload.reference.tuples) == (TUPLES, TUPLES)
    assert workload.reference.output_tuples == wanted.sum()


@pytest.mark.parametrize(("function", "text"), [("keep", KEEP), ("count", COUNT)])
@pytest.mark.parametrize(
    "options", [{"engine": "serial"}, {"workers": 2}, {"workers": 3, "heuristic": "ct", "unit": 7}]
)
def test_a_right_run_is_right_and_its_oracle_too(
    mine: OwnModule, function: str, text: str, options: dict[str, Any]
) -> None:
    result = streambench.lab.run(mine[function], oracle=mine.sql(text), pin=False, keep_emitted=True, **options)
    assert (result.query, result.sequence_ok, result.answer_ok, result.problem) == (mine[function], True, True, None)
    assert result.emitted.num_rows == result.output_tuples
    assert streambench.lab.run(mine[function], pin=False, **options).answer_ok is None


def test_the_oracle_reads_all_laps_that_a_source_replays(mine: OwnModule) -> None:
    text = f"SELECT key, value FROM stream WHERE stream_row < {2 * TUPLES} ORDER BY stream_row"
    workload = OwnWorkload(mine["twice"], mine.sql(text))
    expected = workload.expected_answer()
    values = module(mine).arrays[1].tolist()
    assert expected is not None
    assert expected.column("value").to_pylist() == values + [value + 5 for value in values]
    assert workload.reference.problem is None


def test_an_empty_stream_is_right(mine: OwnModule) -> None:
    result = streambench.lab.run(mine["empty"], oracle=mine.sql("SELECT key FROM stream"), workers=2, pin=False)
    assert (result.tuples, result.output_tuples, result.sequence_ok, result.answer_ok) == (0, 0, True, True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (KEEP.replace("(1, 2)", "(1, 3)"), "Row 0 of "),
        (f"{KEEP} DESC", "Row 0 of "),
        (f"{KEEP} LIMIT 7", "rows where SQL gives 7: only the output sequence has row 7"),
    ],
)
def test_a_wrong_oracle_is_noticed_though_the_sequence_is_serials(mine: OwnModule, text: str, told: str) -> None:
    result = streambench.lab.run(mine["keep"], oracle=mine.sql(text), workers=2, pin=False)
    assert (result.sequence_ok, result.answer_ok) == (True, False)
    assert told in str(result.problem)


def test_another_sequence_with_several_partitions_is_noticed(mine: OwnModule) -> None:
    workload = OwnWorkload(mine["tells"])
    for keep, told in ((False, "tuples with digest"), (True, "where the serial engine has (key ")):
        measured, pipeline = workload.run(TWO, keep=keep)
        sequence_ok, answer_ok, problem = workload.check(TWO, measured, pipeline)
        assert (sequence_ok, answer_ok) == (False, None)
        assert str(problem).startswith(f"{mine['tells']}'s output sequence differs from the serial engine's: ")
        assert told in str(problem)
    assert one_lap(workload, TWO)[1] is False
    assert checked_run(workload, TWO, 0, workload.serial_digest(1), True)["sequence_ok"] is False
    grid = Grid(engines=("serial", "ordered"), plans=("sharded",), workers=(2,), units=(64,), partitions=(1, 4))
    (verdict,) = verify(None, [mine["tells"]], grid=grid).verdicts
    assert 0 < len(verdict.mismatches) < verdict.runs
    assert all("--partitions 4" in each.command for each in verdict.mismatches)


def test_a_function_that_makes_another_stream_in_every_call_is_noticed(mine: OwnModule) -> None:
    workload = OwnWorkload(mine["longer"])
    measured, pipeline = workload.run(TWO, keep=False)
    sequence_ok, _, problem = workload.check(TWO, measured, pipeline)
    assert sequence_ok is False
    assert problem == (
        f"{mine['longer']} made a stream of 1 tuples where the serial engine was given 2: it must make the same stream "
        "in every call."
    )


def test_there_is_one_lap(mine: OwnModule) -> None:
    workload = OwnWorkload(mine["keep"])
    with pytest.raises(OptionError, match=f"2 laps do not fit, 1 does: {mine['keep']} itself says how long its stream"):
        workload.run(Options(laps=2, preload=True), keep=False)


def test_a_stream_that_is_read_as_it_goes_is_right_but_has_no_oracle(mine: OwnModule) -> None:
    result = streambench.lab.run(mine["batches"], workers=2, pin=False)
    assert (result.sequence_ok, result.options["preload"]) == (True, False)
    assert result.digest == streambench.lab.run(mine["keep"], engine="serial").digest
    assert OwnWorkload(mine["batches"]).rows == TUPLES, "its source does not say, so the serial engine has counted"
    with pytest.raises(OptionError, match="comes from a BatchSource and cannot be read twice, as an oracle does: let"):
        OwnWorkload(mine["batches"], mine.sql(KEEP))


def test_a_join_is_a_stream_that_an_oracle_can_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = own_module(
        tmp_path,
        monkeypatch,
        """
        def joined():
            left = {"ts": np.arange(40), "word": ["odd" if k % 2 else "even" for k in range(40)], "l": np.arange(40)}
            right = {"ts": np.arange(40), "kind": ["even"] * 40, "n": np.arange(40)}
            return pipeline(
                streambench.ArrowJoinSource(left, right, equal=[("word", "kind")], window=3, columns=["word", "n"]),
                doubled,
            )

        def streamed():
            from streambench.pyx.stream_join_source import StreamJoinSource

            sides = [BatchSource(iter([[np.arange(40)] * 2]), ("ts", "n")) for _ in range(2)]
            return pipeline(StreamJoinSource(*sides, 3, [("n", "n")]), doubled)
        """,
    )
    text = mine.sql("SELECT ts, word, n, 2 * n AS twice FROM stream ORDER BY stream_row")
    result = streambench.lab.run(mine["joined"], oracle=text, workers=2, pin=False, keep_emitted=True)
    assert (result.sequence_ok, result.answer_ok, result.options["preload"]) == (True, True, True)
    assert result.emitted is not None
    assert set(result.emitted["word"].to_pylist()) == {"even"}
    assert result.emitted["ts"].to_pylist()[:4] == [0, 1, 2, 2]
    of_streams = streambench.lab.run(mine["streamed"], workers=2, pin=False)
    assert (of_streams.tuples, of_streams.sequence_ok, of_streams.options["preload"]) == (40, True, False)
    with pytest.raises(OptionError, match="comes from a StreamJoinSource and cannot be read twice"):
        OwnWorkload(mine["streamed"], text)


def test_ranges_are_verified_where_every_keyed_operator_names_one(mine: OwnModule) -> None:
    assert OwnWorkload(mine["count"]).has_ranges
    assert not OwnWorkload(mine["tells"]).has_ranges


def rows(n: int) -> pa.Table:
    return pa.table({"n": pa.array(range(n), pa.int64()), "day": pa.array([5, None] * (n // 2), pa.date32())})


@pytest.mark.parametrize(
    "made", [lambda table: table, lambda table: table.to_pandas(), lambda table: table.to_batches()[0]]
)
def test_a_function_is_called_with_any_data_that_can_be_read_again(mine: OwnModule, made: Any) -> None:
    result = streambench.lab.run(mine["over"], data=made(rows(500)), workers=2, keep_emitted=True)
    assert result.sequence_ok
    assert result.emitted.column("twice").to_pylist() == [2 * n for n in range(500)]
    assert result.emitted.column("day").cast(pa.int32()).to_pylist() == [5, None] * 250


def test_data_that_can_be_read_once_are_refused(mine: OwnModule) -> None:
    with pytest.raises(
        OptionError, match="a RecordBatchReader can be read only once: give the table that its read_all"
    ):
        streambench.lab.run(mine["over"], data=rows(6).to_reader())
    with pytest.raises(OptionError, match="a Pipeline runs once, by its own method"):
        streambench.lab.run(streambench.Pipeline([rows(0).select(["n"]), TableSink()]), data=rows(6))


def test_files_are_read_by_each_run_or_once(mine: OwnModule) -> None:
    pq.write_table(rows(500), "rows.parquet")
    streamed, loaded = (OwnWorkload(mine["over"], data="rows.parquet", in_memory=each) for each in (False, True))
    assert (streamed.rows, loaded.rows) == (500, 500)
    Path("rows.parquet").unlink()
    assert loaded.run(TWO, keep=False)[0].tuples == 500
    with pytest.raises(DataError, match="could not be read beyond their first 0 rows"):
        streamed.run(TWO, keep=False)


def test_a_hidden_file_is_none_of_those_that_may_not_change(mine: OwnModule) -> None:
    Path("folder").mkdir()
    pq.write_table(rows(500), "folder/rows.parquet")
    workload = OwnWorkload(mine["over"], data="folder", in_memory=False)
    before = workload.state()
    Path("folder/.rows.parquet.part").touch()
    assert workload.state() == before
    pq.write_table(rows(500), "folder/more.parquet")
    assert workload.state() != before


@pytest.mark.parametrize("changed", [None, 500, 400])
def test_files_that_have_changed_between_runs_are_not_laid_at_the_engines_door(
    mine: OwnModule, changed: int | None
) -> None:
    """Other values, which differ from the serial engine's, and other rows, which a dataset cannot read any more."""
    pq.write_table(rows(500), "rows.parquet")
    workload = OwnWorkload(mine["over"], data="rows.parquet", in_memory=False)
    assert workload.reference.tuples == 500
    if changed is None:
        assert workload.check(TWO, *workload.run(TWO, keep=False)) == (True, None, None)
        return
    pq.write_table(rows(changed).take(list(range(changed))[::-1]), "rows.parquet")
    with pytest.raises(DataError, match=r"rows\.parquet has changed while .* ran: let its writer finish"):
        workload.check(TWO, *workload.run(TWO, keep=False))

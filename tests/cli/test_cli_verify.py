"""`streambench verify` runs what it says, and finds what is wrong."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hand_made import Call

from streambench.execution.settled import settle
from streambench.lab.answers import oracle
from streambench.lab.check.grid import Grid
from streambench.lab.check.verify import repeat_command, verify
from streambench.lab.data.catalog import Catalog
from streambench.lab.workloads.workload import Workload
from streambench.pyx.table_sink import TableSink

pytestmark = pytest.mark.slow  # hundreds of runs

SMALL = Grid(
    heuristics=("ct",),
    reorders=("nonblocking",),
    partitionings=("hybrid",),
    workers=(1, 3),
    units=(1, 7),
    partitions=(1, 10),
)
QUERIES = ["q1", "q2", "q3", "q4", "q15", "ysb", "qjoin"]


def test_all_queries_are_right_over_all_combinations(call: Call, data: Path) -> None:
    schemes = ["--heuristics", "ct", "--reorders", "lock,ticket", "--partitionings", "shared"]
    called = call("verify", "--data", data, *schemes, "--workers", "1,8", "--units", "1,1024", "--partitions", "1,100")
    assert called.code == 0, called.out + called.err
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in called.out.splitlines() if "│" in line]
    assert [row[:2] for row in rows] == [[query, kind] for query in QUERIES for kind in ("paper", "kit")]
    # serial: 2 units and one over the files; schemes: 2 of them x 2 x 2, of the first all 2 x 2 x 2 x 2 routed early,
    # of which 2 are there already, and of each one over the files, laps, and by range; ordered: 4 plans x 2 x 3 x 2,
    # and 4 x 3 over files, laps, and by range
    assert all(row[5:] == [str(3 + 8 + (16 - 2) + 6 + 48 + 12), "0", "yes"] for row in rows if row[0] != "qjoin")
    # What qjoin joins is in memory, in one lap: of the runs over files and laps one is not among the others already.
    assert all(row[5:] == [str(2 + 8 + (16 - 2) + (2 + 1) + 48 + 4), "0", "yes"] for row in rows if row[0] == "qjoin")


def test_a_covering_subset_is_run_on_request(call: Call, data: Path) -> None:
    called = call("verify", "q2", "--data", data, "--parameters", "paper", "--covering")
    assert called.code == 0, called.out + called.err
    (row,) = [line.split("│")[6:9] for line in called.out.splitlines() if "│ q2" in line]
    assert [cell.strip() for cell in row] == [str(len(Grid(covering=True).combinations())), "0", "yes"]


def test_the_command_that_repeats_a_run_gives_all_its_options(call: Call, data: Path) -> None:
    for options in Grid(covering=True).combinations():
        words = shlex.split(repeat_command(data, "q3", "paper", options))
        called = call(*words[1:], "--json", "-", "--quiet")
        assert called.code == 0, called.err
        ran = json.loads(called.out)["options"]
        assert ran == {**settle(options).to_dict(), "trace": False}


def test_queries_engines_and_parameters_can_be_chosen(call: Call, data: Path) -> None:
    words = ["--engines", "serial", "--parameters", "kit", "--units", "5"]
    called = call("verify", "q4", "--data", data, *words)
    assert called.code == 0
    assert "q4" in called.out
    assert "q1" not in called.out
    assert "paper" not in called.out


def test_a_wrong_answer_is_found(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = Workload.answer

    def wrong(self: Workload, pipeline: Any) -> pa.Table:
        answer = true(self, pipeline)
        return answer.set_column(2, "n", pa.array([number + 1 for number in answer.column("n").to_pylist()]))

    monkeypatch.setattr(Workload, "answer", wrong)
    report = verify(Catalog.open(data), ["q2"], ["paper"], SMALL)
    assert not report.ok
    (verdict,) = report.verdicts
    assert {mismatch.what for mismatch in verdict.mismatches} == {"answer"}
    assert "Row 0 of q2's answer" in verdict.mismatches[0].problem
    assert len(verdict.mismatches) == verdict.runs  # of one lap and of three
    assert any("--laps 3" in mismatch.command for mismatch in verdict.mismatches)


def test_a_wrong_oracle_is_found(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = oracle.expected
    monkeypatch.setattr(oracle, "expected", lambda *words, **options: true(*words, **options).slice(1))
    assert not verify(Catalog.open(data), ["q3"], ["paper"], SMALL).ok


def test_a_wrong_sequence_is_found_with_the_command_that_repeats_it(
    call: Call, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong(TableSink):  # type: ignore[misc]
        """Of the first ordered run's sink: rows are right, their digest is not."""

        made = 0

        def __init__(self, keep: bool) -> None:
            super().__init__(keep)
            Wrong.made += 1
            self.place = Wrong.made

        @property
        def digest(self) -> str:
            return "0" * 16 if self.place == 6 else str(super().digest)

    monkeypatch.setattr("streambench.lab.workloads.workload.TableSink", Wrong)
    words = ["--parameters", "paper", "--engines", "serial,schemes", "--heuristics", "walk", "--reorders", "ticket"]
    called = call("verify", "q3", "--data", data, *words, "--units", "1,7", "--covering")
    assert called.code == 1
    assert called.error.startswith("streambench: 1 of ")
    assert "q3 paper: sequence: the output sequence has digest 0000000000000000 instead of" in called.out
    (line,) = [line for line in called.out.splitlines() if "streambench run" in line]
    assert "--heuristic walk --reorder ticket --partitioning" in line
    monkeypatch.undo()
    again = call(*shlex.split(line)[1:])
    assert again.code == 0
    assert "answer verified    yes" in again.out


def test_a_wrong_order_within_one_operator_is_found(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = Workload.run

    def wrong(self: Workload, options: Any, *words: Any, **named: Any) -> Any:
        measured, pipeline = true(self, options, *words, **named)
        if options.workers == 3 and not options.fuse:  # fused behind it, its output is never ordered by itself
            measured.traces[2] ^= 1
        return measured, pipeline

    monkeypatch.setattr(Workload, "run", wrong)
    (verdict,) = verify(Catalog.open(data), ["q2"], ["paper"], SMALL).verdicts
    assert {mismatch.what for mismatch in verdict.mismatches} == {"operator"}
    assert all("--workers 3" in mismatch.command for mismatch in verdict.mismatches)
    assert "Sessions (operator 2)" in verdict.mismatches[0].problem


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--workers", "1,0"], "--workers takes whole numbers from 1 up, with commas, not '1,0'."),
        (["--units", "x"], "--units takes whole numbers from 1 up, with commas, not 'x'."),
        (["--units", "100000"], "--units must be a whole number from 1 to 65536, not 100000."),
        (["--engines", "fast"], "--engines takes some of serial,ordered,schemes, with commas, not 'fast'."),
        (
            ["--heuristics", "ct,fast"],
            "--heuristics takes some of qst,lp,et,ct,walk, with commas, not 'fast'.",
        ),
        (["--reorders", ""], "--reorders takes some of nonblocking,lock,ticket, with commas, not ''."),
        (
            ["--partitionings", "none"],
            "--partitionings takes some of hybrid,partitioned,shared, with commas, not 'none'.",
        ),
    ],
)
def test_grids_that_cannot_be_run_are_refused(call: Call, data: Path, words: list[str], sentence: str) -> None:
    called = call("verify", "--data", data, *words)
    assert called.code == 2
    assert called.error == f"streambench: {sentence}"

"""What a sweep has measured is never lost, never measured twice, and never mixed with another sweep's."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from streambench.errors import StreambenchError
from streambench.lab.host.machine import describe
from streambench.lab.measure.frame import BenchCall, BenchData
from streambench.lab.measure.sweep import bench
from streambench.lab.measure.sweep.bench import SweepRuns
from streambench.lab.measure.sweep.product import Product, merged
from streambench.lab.measure.sweep.schedule import Schedule
from streambench.lab.measure.time_limit import NO_LIMIT
from streambench.lab.record import journal as journals
from streambench.lab.record.journal import Journal

RECORDS = [{"step": "run", "value": number} for number in range(5)]


def identity(schedule: Schedule, machine: dict[str, Any]) -> str:
    return journals.identity(schedule.describe(), [], machine)


def small(**settings: Any) -> Schedule:
    product = Product(micro=("sl",), costs=(1.0,), workers=(1, 2))
    return Schedule(merged(product.comparisons()), **{"repeats": 3, "seconds": 0.02, **settings})


def called(journal: Journal) -> BenchCall:
    return BenchCall(journal, lambda *_: None, NO_LIMIT, BenchData())


def write(folder: Path, key: str = "a") -> Path:
    with Journal(folder, "sweep", key) as journal:
        for record in RECORDS:
            journal.append(record)
    return journal.path


def test_a_journal_gives_back_what_was_written(tmp_path: Path) -> None:
    path = write(tmp_path / "new" / "folder")
    assert [json.loads(line) for line in path.read_text().splitlines()] == RECORDS
    with Journal(tmp_path / "new" / "folder", "sweep", "a") as journal:
        assert journal.records == RECORDS
        journal.append({"step": "run", "value": 5})
    with Journal(tmp_path / "new" / "folder", "sweep", "a") as journal:
        assert [record["value"] for record in journal.records] == [0, 1, 2, 3, 4, 5]
        journal.remove()
    assert not path.exists()


@pytest.mark.parametrize("cut", range(1, 26))
def test_a_half_written_last_line_is_dropped_wherever_it_was_cut(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path)
    whole = path.read_bytes()
    assert len(whole) % 5 == 0
    path.write_bytes(whole[:-cut])
    with Journal(tmp_path, "sweep", "a") as journal:
        assert journal.records == RECORDS[:-1]
        journal.append(RECORDS[-1])
    assert path.read_bytes() == whole


@pytest.mark.parametrize("rest", [b"\0" * 40, b"\0" * 40 + b"\n", b"[1]\n", b"\xff\xfe\n{}\n"])
def test_what_is_no_record_is_dropped_with_all_that_follows(tmp_path: Path, rest: bytes) -> None:
    path = write(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + rest)
    with Journal(tmp_path, "sweep", "a") as journal:
        assert journal.records == RECORDS
    assert path.read_bytes() == whole


def test_restart_discards(tmp_path: Path) -> None:
    path = write(tmp_path)
    with Journal(tmp_path, "sweep", "a", restart=True) as journal:
        assert journal.records == []
    assert path.read_bytes() == b""


def test_a_journal_belongs_to_one_process_at_a_time(tmp_path: Path) -> None:
    with Journal(tmp_path, "sweep", "a"), pytest.raises(StreambenchError, match="measured by another process"):
        Journal(tmp_path, "sweep", "a")
    Journal(tmp_path, "sweep", "a").__exit__(None, None, None)


@pytest.mark.parametrize("room", [0, 1, 20])
def test_a_full_disk_is_told_in_a_sentence_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    path = write(tmp_path)
    true = os.pwrite
    with Journal(tmp_path, "sweep", "a") as journal:
        monkeypatch.setattr(journals.os, "pwrite", lambda file, line, place: true(file, line[:room], place))
        with pytest.raises(StreambenchError, match=r"No space left on device.*what it holds is kept"):
            journal.append({"step": "run", "value": 5})
        monkeypatch.undo()
    assert [json.loads(line) for line in path.read_text().splitlines()] == RECORDS


def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StreambenchError, match=r"the journal .* cannot be written .*--results"):
        Journal(tmp_path / "file", "sweep", "a")


def test_another_schedule_machine_version_or_commit_is_another_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = describe()
    same = identity(small(), machine)
    assert identity(small(), machine) == same
    other = {**machine, "cpu": {**machine["cpu"], "allowed": [*machine["cpu"]["allowed"], 4096]}}
    found = {
        same,
        identity(small(repeats=4), machine),
        identity(small(seconds=0.03), machine),
        identity(small(budget=10.0), machine),
        identity(small(parameter_set="kit"), machine),
        identity(Schedule(merged(Product(micro=("ps",)).comparisons())), machine),
        identity(small(), other),
    }
    monkeypatch.setattr(journals, "__version__", "0.0.0")
    found.add(identity(small(), machine))
    monkeypatch.undo()
    monkeypatch.setattr(journals.results, "commit", lambda: "another")
    found.add(identity(small(), machine))
    assert len(found) == 9


def test_a_resumed_sweep_measures_the_rest_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true, calls = bench.checked_run, []

    def counted(*arguments: Any) -> dict[str, Any]:
        calls.append((arguments[1].engine, arguments[1].workers, arguments[2]))
        if len(calls) == 5:
            raise KeyboardInterrupt
        return true(*arguments)

    monkeypatch.setattr(bench, "checked_run", counted)
    schedule = small()
    with Journal(tmp_path, "sweep", "a") as journal, pytest.raises(KeyboardInterrupt):
        SweepRuns(schedule, called(journal)).measure()
    with Journal(tmp_path, "sweep", "a") as journal:
        call = called(journal)
        kept = call.of_step("run")
        assert len(kept) == 4
        runs = SweepRuns(schedule, call).measure()
    assert len(calls) == 1 + 9
    assert len(set(calls)) == 9  # the interrupted one was begun twice, and kept once
    assert [run["repeat"] for run in runs] == [0] * 3 + [1] * 3 + [2] * 3
    assert all(call.kept("run", key) == run for key, run in kept.items())
    assert len({run["tuples"] for run in runs}) == 1
    assert all(run["sequence_ok"] for run in runs)
    with Journal(
        tmp_path, "sweep", "a"
    ) as journal:  # finished, but its result was not written: nothing is measured again
        again = SweepRuns(schedule, called(journal)).measure()
    assert again == json.loads(json.dumps(runs))
    assert len(calls) == 10


def test_ctrl_c_while_a_run_is_written_keeps_it_here_as_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true, pressed = os.fsync, []

    def interrupted(file: int) -> None:
        true(file)
        if b'"run"' in path.read_bytes() and not pressed:
            pressed.append(True)
            os.kill(os.getpid(), signal.SIGINT)

    with Journal(tmp_path, "sweep", "a") as journal:
        path = journal.path
        monkeypatch.setattr(journals.os, "fsync", interrupted)
        call = called(journal)
        with pytest.raises(KeyboardInterrupt):
            SweepRuns(small(), call).measure()
    written = [json.loads(line) for line in path.read_text().splitlines()]
    assert call.count("run") == sum(record["step"] == "run" for record in written) == 1


def test_a_configuration_that_fails_or_is_wrong_has_no_number_and_the_sweep_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = bench.checked_run

    def broken(workload: Any, options: Any, repeat: int, reference: str | None, answer: bool | None) -> dict[str, Any]:
        if options.workers == 2 and repeat == 1:
            raise MemoryError("no room")
        expected = "another" if options.workers == 2 and repeat == 2 else reference
        return true(workload, options, repeat, expected, answer)

    monkeypatch.setattr(bench, "checked_run", broken)
    with Journal(tmp_path, "sweep", "a") as journal:
        runs = SweepRuns(small(), called(journal)).measure()
    wrong = [run for run in runs if run["throughput"] is None]
    assert [(run["workers"], run["repeat"]) for run in wrong] == [(2, 1), (2, 2)]
    assert wrong[0]["problem"] == "MemoryError: no room"
    assert "instead of the serial engine's" in wrong[1]["problem"]
    assert all(run["latency"] is None and run["sequence_ok"] is False for run in wrong)
    assert set(wrong[0]) == set(wrong[1])
    assert set(runs[0]) == set(wrong[0]) - {"problem"}

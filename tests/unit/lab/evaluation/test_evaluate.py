"""An evaluation: parts that fail, that need longer, and that are stopped; what its archive holds, and taking it in."""

from __future__ import annotations

import io
import json
import random
import signal
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import made_up_sweep
import pytest
from click.testing import CliRunner
from made_up_results import bench as made_up_bench

from streambench.errors import DataError, OptionError, StreambenchError
from streambench.lab.cli import cli
from streambench.lab.evaluation import archive, evaluate
from streambench.lab.evaluation.conclusion import conclude
from streambench.lab.evaluation.evaluate import Evaluation, PartRun
from streambench.lab.evaluation.parts import EvaluatedMachine, EvaluationPart, Level
from streambench.lab.record import results


def part(name: str, weight: float = 1.0, seconds: tuple[float, ...] = (10.0,)) -> EvaluationPart:
    """A part whose command is its name, with levels of so many seconds."""

    def levels(machine: EvaluatedMachine) -> list[Level]:
        return [Level((name, f"level-{place}"), f"level {place}", each) for place, each in enumerate(seconds)]

    return EvaluationPart(name, f"what {name} is", weight, levels, lambda machine: levels(machine)[-1])


def evaluation(parts: list[EvaluationPart], out: Path, budget: float | None = 60.0) -> Evaluation:
    return Evaluation(parts, out, budget, machine=EvaluatedMachine(2, 2, 1))


class Commands:
    """Stands for the processes: what each does, by the first word of its command."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.does: dict[str, Any] = {}
        self.seconds: list[float | None] = []
        self.levels: list[str] = []
        monkeypatch.setattr(evaluate, "_run", self.run)
        monkeypatch.setattr(Evaluation, "_look_at_machine", lambda self: None)

    def run(self, command: list[str], log: Any, most: float | None) -> int:
        words = command[3:]
        folder = Path(words[words.index("--results") + 1])
        within = float(words[words.index("--within") + 1].removesuffix("s")) if "--within" in words else None
        self.seconds.append(within)
        self.levels.append(words[1])
        assert "--keep-journal" in words
        return int(self.does[words[0]](folder, log))


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    return Commands(monkeypatch)


def writes(warning: str | None = None) -> Any:
    def write(folder: Path, log: Any) -> int:
        document = made_up_bench()
        results.write({**document, "warnings": [warning] if warning else []}, folder)
        return 0

    return write


def test_a_part_that_fails_is_noted_and_the_next_goes_on(commands: Commands, tmp_path: Path) -> None:
    def fails(folder: Path, log: Any) -> int:
        log.write("streambench: there is no water: fetch some.\n\n")
        return 1

    commands.does = {
        "one": fails,
        "two": writes(),
        "three": writes("the time limit of 1 s ended the measuring early: …"),
    }
    measured = evaluation([part(name) for name in commands.does], tmp_path)
    measured.measure()
    assert [run.outcome for run in measured.runs] == ["failed", "whole", "in part"]
    assert measured.runs[0].problem == "streambench: there is no water: fetch some."
    assert [len(run.results) for run in measured.runs] == [0, 1, 1]


@pytest.mark.parametrize("option", ["--data", "--sweep-data"])
@pytest.mark.parametrize("told", ["no data directory", "is missing from"])
def test_data_that_are_not_there_are_refused_before_any_part(
    option: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Evaluation, "measure")
    place = tmp_path / "empty" if told.startswith("is") else tmp_path / "nowhere"
    (tmp_path / "empty").mkdir()
    refused = CliRunner().invoke(cli, ["evaluate", option, str(place), "--out", str(tmp_path / "out")]).exception
    assert isinstance(refused, DataError)
    assert str(refused).startswith(f"{option}: ")
    assert told in str(refused)
    assert not (tmp_path / "out").exists()


def test_time_that_a_part_leaves_raises_those_after_it(commands: Commands, tmp_path: Path) -> None:
    commands.does = {name: writes() for name in ("one", "two")}
    evaluation([part("one", seconds=(40.0,)), part("two", seconds=(10.0, 30.0))], tmp_path).measure()
    assert commands.levels == ["level-0", "level-1"]
    assert commands.seconds == pytest.approx([60 - 10 - 3, 60 - 3], abs=2)


def test_without_a_budget_parts_are_as_published_and_have_no_limit(commands: Commands, tmp_path: Path) -> None:
    commands.does = {"one": writes()}
    evaluation([part("one", seconds=(1.0, 1e6))], tmp_path, None).measure()
    assert (commands.levels, commands.seconds) == (["level-1"], [None])


def test_a_part_that_took_longer_lowers_those_after_it(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(evaluate.time, "monotonic", lambda: clock[0])

    def slow(folder: Path, log: Any) -> int:
        clock[0] += 20.0
        return int(writes()(folder, log))

    commands.does = {"one": slow, "two": writes(), "three": writes()}
    parts = [part("one"), part("two", seconds=(10.0, 25.0)), part("three", seconds=(25.0,))]
    measured = evaluation(parts, tmp_path)
    assert [each.seconds for each in measured.plan()] == [10.0, 25.0, 25.0]
    measured.measure()
    assert commands.levels[:2] == ["level-0", "level-0"]  # twice as long as expected: 20 of the 40 s that are left
    assert measured.runs[1].expected == 20.0


def test_the_same_command_with_more_time_goes_on(commands: Commands, tmp_path: Path) -> None:
    commands.does = {"one": writes(), "two": writes()}
    parts = [part("one"), part("two", seconds=(10.0, 100.0))]
    first = evaluation(parts, tmp_path, 30.0)
    first.measure()
    first.write()
    again = evaluation(parts, tmp_path, 200.0)
    again.measure()
    assert commands.levels == ["level-0", "level-0", "level-1"]  # what was whole is not measured again
    assert again.runs[0].results == first.runs[0].results
    assert [path.name for path in sorted((tmp_path / "results").glob("*.json"))] == sorted(
        again.runs[0].results + again.runs[1].results
    )  # the richer result has taken the place of the poorer one


def test_a_part_that_is_left_out_keeps_what_is_there(commands: Commands, tmp_path: Path) -> None:
    commands.does = {"one": writes(), "two": writes()}
    parts = [part("one"), part("two", seconds=(30.0,))]
    first = evaluation(parts, tmp_path)
    first.measure()
    again = evaluation(parts, tmp_path, 20.0)
    again.measure()
    assert again.runs[1].outcome == "left out"
    assert again.runs[1].results == first.runs[1].results != []


def test_a_budget_that_no_part_fits_into_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="two alone takes about 10 s"):
        evaluation([part("one", seconds=(20.0,)), part("two")], tmp_path, 9.0)


def test_stopped_the_part_in_hand_is_kept_and_no_other_starts(commands: Commands, tmp_path: Path) -> None:
    def stopped(folder: Path, log: Any) -> int:
        writes()(folder, log)
        raise KeyboardInterrupt

    commands.does = {"one": stopped, "two": writes()}
    measured = evaluation([part("one"), part("two")], tmp_path)
    with pytest.raises(KeyboardInterrupt):
        measured.measure()
    (run,) = measured.runs
    assert run.outcome == "stopped"
    assert len(run.results) == 1
    assert json.loads((tmp_path / "evaluation.json").read_text())["parts"][0]["results"] == run.results


@pytest.mark.parametrize("cores", [2, 16, 64, 128])
@pytest.mark.parametrize("budget", ["10m", "2h", "as-published"])
def test_a_dry_run_prints_a_plan_and_measures_nothing(
    cores: int, budget: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Evaluation, "measure")
    words = ["evaluate", "--dry-run", "--cores", str(cores), "--budget", budget, "--out", str(tmp_path / "out")]
    called = CliRunner().invoke(cli, words)
    assert called.exit_code == 0, called.output
    assert f"plan for {cores} cores" in called.output
    assert "queries" in called.output
    assert not (tmp_path / "out").exists()


def test_other_cores_than_there_are_take_a_dry_run(tmp_path: Path) -> None:
    refused = CliRunner().invoke(cli, ["evaluate", "--cores", "4", "--out", str(tmp_path / "out")]).exception
    assert isinstance(refused, OptionError)
    assert "add --dry-run" in str(refused)


def test_results_become_figures_claims_and_a_page(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    results.write(made_up_bench(), tmp_path / "results")
    results.write(made_up_sweep.document(made_up_sweep.light()), tmp_path / "results")
    said: list[str] = []
    made = conclude(tmp_path, said.append)
    assert {path.relative_to(tmp_path).parts[0] for path in made} == {"figures", "claims.md", "report.html"}
    assert not any("cannot be made" in line for line in said)
    assert "Throughput over workers" in (tmp_path / "report.html").read_text()


def test_what_cannot_be_made_of_a_spoilt_result_is_said(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "20260101T000000Z-spoilt.json").write_text("{}")
    said: list[str] = []
    assert conclude(tmp_path, said.append) == []
    assert sum("cannot be made" in line for line in said) == 3


def evaluated(folder: Path) -> Path:
    (folder / "results").mkdir(parents=True)
    (folder / "logs").mkdir()
    results.write(made_up_bench(), folder / "results")
    (folder / "logs" / "bench.log").write_text("all fine\n")
    (folder / "machine.txt").write_text("a machine\n")
    (folder / "evaluation.json").write_text(json.dumps({"parts": [PartRun("bench", "queries").__dict__]}))
    (folder / "site").mkdir()
    (folder / "site" / "large.so").write_text("code")
    return archive.write(folder)[0]


def test_the_archive_holds_results_logs_and_machine_and_is_taken_in(tmp_path: Path) -> None:
    path = evaluated(tmp_path / "there")
    with tarfile.open(path) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert {"machine.txt", "evaluation.json", "logs/bench.log"} < names
    assert not any("site" in name for name in names)
    paths, parts = archive.take_in(path, tmp_path / "here")
    assert [results.read(each)["kind"] for each in paths] == ["bench"]
    assert [part.part for part in parts] == ["bench"]
    assert archive.take_in(path, tmp_path / "here")[0] == paths  # again: nothing changes


def test_a_large_archive_leaves_out_journals_and_logs_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated(tmp_path)
    whole = archive.write(tmp_path)[0].stat().st_size
    (tmp_path / "results" / "unfinished-sweep-0.jsonl").write_bytes(random.Random(1).randbytes(4 * whole))
    monkeypatch.setattr(archive, "MOST_BYTES", 2 * whole)
    path, left_out = archive.write(tmp_path)
    assert left_out == ["results/unfinished-sweep-0.jsonl"]
    assert path.stat().st_size <= 2 * whole
    monkeypatch.setattr(archive, "MOST_BYTES", 10)
    with pytest.raises(StreambenchError, match="too large"):
        archive.write(tmp_path)


def packed(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as made:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    return path


RESULT = "streambench-evaluation/results/20260101T120000Z-amd-epyc-16c-bench.json"


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "holds no results"),
        ({"../../etc/passwd": b"x"}, "holds no results"),
        ({"streambench-evaluation/results/../../20260101T120000Z-x.json": b"{}"}, "holds no results"),
        ({RESULT: b"{}"}, "is not a result file"),
        ({RESULT: b"no JSON"}, "is not a result file"),
        ({"streambench-evaluation/evaluation.json": b"no JSON"}, "is not an archive"),
        ({"streambench-evaluation/evaluation.json": b"[]"}, "is not an archive"),
        ({"streambench-evaluation/evaluation.json": b'{"parts": [{"lunch": 1}]}'}, "is not an archive"),
    ],
)
def test_archives_that_are_none_are_refused(tmp_path: Path, files: dict[str, bytes], told: str) -> None:
    with pytest.raises(StreambenchError, match=told):
        archive.take_in(packed(tmp_path / "a.tar.gz", files), tmp_path / "here")
    assert not (tmp_path / "here").exists()


def test_a_cut_off_archive_is_refused(tmp_path: Path) -> None:
    path = evaluated(tmp_path / "there")
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(StreambenchError, match="is not an archive"):
        archive.take_in(path, tmp_path / "here")


def test_a_result_that_differs_is_not_overwritten(tmp_path: Path) -> None:
    path = evaluated(tmp_path / "there")
    (there,) = archive.take_in(path, tmp_path / "here")[0]
    there.write_text("mine")
    with pytest.raises(StreambenchError, match="differs from the archive's"):
        archive.take_in(path, tmp_path / "here")
    assert there.read_text() == "mine"


def ran(code: str, log: Path, most: float) -> int:
    with log.open("w") as file:
        return evaluate._run([sys.executable, "-c", code], file, most)


def test_a_command_that_takes_too_long_is_asked_to_end_and_may_write_first(tmp_path: Path) -> None:
    code = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, lambda *_: (print("written"), sys.exit(0)))
print("begun", flush=True)
time.sleep(1000)
"""
    ended = ran(code, tmp_path / "log", 2.0), (tmp_path / "log").read_text()
    assert ended in ((0, "begun\nwritten\n"), (-signal.SIGTERM, ""))  # the latter where it had not begun by then


def test_a_command_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "GRACE", 0.1)
    code = """
import signal, time
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
time.sleep(1000)
"""
    assert ran(code, tmp_path / "log", 2.0) in (-signal.SIGKILL, -signal.SIGTERM)


def test_what_a_command_leaves_behind_is_ended_with_it(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)']).pid)"
    )
    assert ran(code, tmp_path / "log", 60.0) == 0
    left = int((tmp_path / "log").read_text())
    until = time.monotonic() + 60
    while Path(f"/proc/{left}/cmdline").exists() and Path(f"/proc/{left}/cmdline").read_bytes():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_part_that_was_killed_says_by_what(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("loading\n")
    assert evaluate._why(-9, tmp_path / "log") == "it was ended by SIGKILL, perhaps for lack of memory"
    assert evaluate._why(1, tmp_path / "log") == "loading"

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

import pytest
from click.testing import CliRunner
from made_up_results import bench as made_up_bench

from streambench.errors import DataError, OptionError, StreambenchError
from streambench.lab.cli import cli
from streambench.lab.evaluation import archive, evaluate
from streambench.lab.evaluation.evaluate import Evaluation, PartRun
from streambench.lab.evaluation.parts import EvaluationPart
from streambench.lab.record import results


def part(name: str, weight: float = 1.0, words: tuple[str, ...] = ("info",)) -> EvaluationPart:
    return EvaluationPart(name, f"what {name} is", weight, lambda share: list(words))


class Commands:
    """Stands for the processes: what each does, by the first word of its command."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.does: dict[str, Any] = {}
        self.seconds: list[float] = []
        monkeypatch.setattr(evaluate, "_run", self.run)
        monkeypatch.setattr(Evaluation, "_look_at_machine", lambda self: None)

    def run(self, command: list[str], log: Any, most: float) -> int:
        words = command[3:]
        folder = Path(words[words.index("--results") + 1])
        self.seconds.append(float(words[words.index("--within") + 1].removesuffix("s")))
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
    parts = [part(name, words=(name,)) for name in commands.does]
    evaluation = Evaluation(parts, tmp_path, 60.0)
    evaluation.measure()
    assert [run.outcome for run in evaluation.runs] == ["failed", "whole", "in part"]
    assert evaluation.runs[0].problem == "streambench: there is no water: fetch some."
    assert [len(run.results) for run in evaluation.runs] == [0, 1, 1]


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


def test_time_that_a_part_leaves_goes_to_those_after_it(commands: Commands, tmp_path: Path) -> None:
    commands.does = {name: writes() for name in ("one", "two", "three")}
    Evaluation([part(name, words=(name,)) for name in commands.does], tmp_path, 90.0).measure()
    assert commands.seconds == pytest.approx([27, 42, 87], abs=2)


def test_weights_share_the_time_and_each_part_has_a_little() -> None:
    shares, left = [], 60.0
    weights = [26.0, 24.0, 13.0, 13.0, 9.0, 7.0, 8.0]
    for place in range(len(weights)):
        shares.append(evaluate._share(left, weights[place:]))
        left -= shares[-1]
    assert sum(shares) == pytest.approx(60.0)
    assert shares == sorted(shares, reverse=True) or min(shares) >= evaluate.LEAST
    assert min(shares) >= evaluate.LEAST


def test_a_budget_that_gives_no_part_its_least_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="2 parts take 12 s at least"):
        Evaluation([part("one"), part("two")], tmp_path, 11.0)


def test_a_part_has_its_least_though_others_have_taken_all(commands: Commands, tmp_path: Path) -> None:
    commands.does = {"one": writes(), "two": writes()}
    evaluation = Evaluation([part(name, words=(name,)) for name in commands.does], tmp_path, 60.0)
    evaluation._until -= 100.0
    evaluation.measure()
    assert commands.seconds == [evaluate.LEAST - evaluate.MARGIN] * 2


def test_stopped_the_part_in_hand_is_kept_and_no_other_starts(commands: Commands, tmp_path: Path) -> None:
    def stopped(folder: Path, log: Any) -> int:
        writes()(folder, log)
        raise KeyboardInterrupt

    commands.does = {"one": stopped, "two": writes()}
    evaluation = Evaluation([part("one", words=("one",)), part("two", words=("two",))], tmp_path, 60.0)
    with pytest.raises(KeyboardInterrupt):
        evaluation.measure()
    (run,) = evaluation.runs
    assert run.outcome == "stopped"
    assert len(run.results) == 1
    assert json.loads((tmp_path / "evaluation.json").read_text())["parts"][0]["results"] == run.results


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

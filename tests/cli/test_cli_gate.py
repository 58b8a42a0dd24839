"""`streambench gate` on a small repository that it really builds and runs: its five ways to end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from hand_made import Call, Called, start
from toy_project import Toy

from streambench.lab.gate.trials import TURNS
from streambench.lab.record import results

Gate = Callable[..., Called]


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return Toy(tmp_path_factory.mktemp("toy") / "repository")


@pytest.fixture
def gate(call: Call, toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Call the gate in the toy's folder, whose files it leaves as they are."""
    monkeypatch.chdir(toy.folder)

    def run(*words: object) -> Called:
        before = toy.git("status", "--porcelain")
        called = call("gate", "--results", tmp_path / "results", *words)
        assert toy.git("status", "--porcelain") == before
        return called

    return run


@pytest.mark.slow
def test_the_same_commit_passes_and_is_built_once(gate: Gate, toy: Toy, tmp_path: Path) -> None:
    toy.git("checkout", "-q", ".")
    comment, file = tmp_path / "comment.md", tmp_path / "gate.json"
    called = gate("--base", "HEAD", "--workloads", "q1", "--markdown", comment, "--json", file)
    assert called.code == 0, called.err
    assert toy.builds() == 1
    assert "passed" in comment.read_text()
    told = json.loads(file.read_text())
    assert (told["outcome"], told["exit_code"]) == ("pass", 0)
    assert [row["metric"] for row in told["verdicts"]] == ["throughput", "p50", "p99"]
    (written,) = (tmp_path / "results").glob("*-gate.json")
    document = results.read(written)
    assert document["kind"] == "gate"
    sides = [run["side"] for run in document["runs"] if run["phase"] == "A/B"]
    assert sides[:4] == ["base", "new", "new", "base"]
    assert {run["verified"] for run in document["runs"]} == {True}
    assert {run["turn"] for run in document["runs"]} == set(range(TURNS))


@pytest.mark.slow
def test_a_program_that_does_not_stay_to_be_asked_is_started_for_each_run(gate: Gate, toy: Toy, tmp_path: Path) -> None:
    toy.becomes("return 100", "return 112")
    assert gate("--base", "main", "--workloads", "once").code == 1
    (written,) = (tmp_path / "results").glob("*-gate.json")
    assert {run["turn"] for run in results.read(written)["runs"]} == {0}


@pytest.mark.slow
def test_an_answer_that_turns_wrong_in_a_later_run_is_told(gate: Gate, toy: Toy) -> None:
    toy.becomes("def cost():\n", "times = 0\n\n\ndef cost():\n    global times\n    times += 1\n")
    text = (toy.folder / "toy" / "work.pyx").read_text()
    (toy.folder / "toy" / "work.pyx").write_text(text.replace("return total", "return total + times // 3"))
    called = gate("--base", "main", "--workloads", "q1")
    assert called.code == 3, called.err
    assert "q1: the new side's output is not that of the run that was checked" in " ".join(called.out.split())


@pytest.mark.slow
def test_what_is_a_tenth_slower_regresses_before_it_is_committed(gate: Gate, toy: Toy) -> None:
    toy.becomes("return 100", "return 112")
    called = gate("--base", "main", "--workloads", "q1", "--fail-over", "5%")
    assert called.code == 1, called.err
    assert "regressed" in called.out


@pytest.mark.slow
def test_a_wrong_answer_is_told_before_any_time(gate: Gate, toy: Toy, tmp_path: Path) -> None:
    toy.becomes("place % 7", "place % 8")
    called = gate("--base", "main", "--workloads", "q1", "--markdown", "-")
    assert called.code == 3, called.err
    assert "Wrong answer: q1: the new side: toy: the run is wrong" in called.out


@pytest.mark.slow
def test_a_base_that_lacks_an_option_is_no_verdict(gate: Gate, toy: Toy) -> None:
    toy.git("checkout", "-q", ".")
    called = gate("--base", "HEAD", "--workloads", "extra")
    assert called.code == 4
    assert "does not know this command" in called.err


@pytest.mark.slow
def test_what_cannot_be_built_is_no_verdict(gate: Gate, toy: Toy) -> None:
    toy.becomes("return 100", "return undefined_name")
    called = gate("--base", "HEAD", "--workloads", "q1")
    assert called.code == 4
    assert "cannot be built" in called.err


def within(folder: Path) -> list[psutil.Process]:
    """The processes that work in a folder."""
    return [each for each in psutil.process_iter(["cwd"]) if Path(each.info["cwd"] or "/").is_relative_to(folder)]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_gate_that_is_stopped_leaves_no_process(toy: Toy, tmp_path: Path, number: signal.Signals) -> None:
    toy.becomes("return total", f"import time; open('asleep-{number}', 'w').close(); time.sleep(1000)")
    words = ["gate", "--base", "HEAD", "--workloads", "q1", "--results", tmp_path]
    sides = toy.folder / ".git" / "streambench-gate"
    with start(*words, cwd=toy.folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as gate:
        while not list(sides.glob(f"*/asleep-{number}")):
            assert gate.poll() is None
            time.sleep(0.05)
        assert len(within(sides)) == 2  # both sides stay
        gate.send_signal(number)
        _, told = gate.communicate(timeout=60)
    assert gate.returncode == 128 + number
    assert "Traceback" not in told
    assert within(sides) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--nonsense"], "no such option"),
        ([], "--base"),
        (["--base", "HEAD", "--budget", "5"], "budget"),
        (["--base", "HEAD", "--budget", "0s"], "budget"),
        (["--base", "HEAD", "--fail-over", "5"], "percentage"),
        (["--base", "HEAD", "--fail-over", "200%"], "percentage"),
        (["--base", "HEAD", "--config", "nowhere.toml"], "nowhere.toml cannot be read"),
        (["--base", "HEAD", "--workers", "0"], "--workers"),
        (["--base", "HEAD", "--workloads", "q9"], "no workload 'q9'"),
        (["--base", "nowhere", "--workloads", "q1"], "no revision 'nowhere'"),
    ],
    ids=str,
)
def test_a_question_that_cannot_be_asked_is_no_verdict(gate: Gate, words: list[str], told: str) -> None:
    called = gate(*words)
    assert called.code == 4
    assert told in called.error


def test_a_gate_whose_reader_has_gone_ends_with_its_own_code(toy: Toy, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nobody:
        words = ["gate", "--base", "nowhere", "--workloads", "q1", "--results", tmp_path]
        with start(*words, cwd=toy.folder, stdout=nobody, stderr=nobody) as gate:
            assert gate.wait(60) == 4


def test_outside_of_a_repository_there_is_no_verdict(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    called = call("gate", "--base", "HEAD")
    assert called.code == 4
    assert "not a git repository" in called.error


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind counts instructions")
def test_instructions_are_counted_without_noise(gate: Gate, toy: Toy) -> None:
    toy.becomes("place % 7", "(place + 7) % 7")
    called = gate("--base", "HEAD", "--workloads", "q1", "--instructions", "--budget", "1m")
    assert called.code == 1, called.err
    assert "note: one thread counts instructions once, whatever it takes: --budget changes nothing" in called.err

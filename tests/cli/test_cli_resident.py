"""`run --resident` loads once, and runs for each line that it reads."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hand_made import Call, start

Q2 = ("run", "q2", "--engine", "serial", "--json", "-", "--resident")


def told(out: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_line_of_json_for_each_line_that_is_read(call: Call, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n\xff\n\n")))
    called = call(*Q2, "--data", data, "--laps", 3)
    assert called.code == 0
    ready, *runs = told(called.out)
    assert ready == {"ready": True}
    assert len(runs) == 3
    assert len({run["digest"] for run in runs}) == 1
    assert {(run["sequence_ok"], run["answer_ok"]) for run in runs} == {(True, True)}
    once = json.loads(call(*Q2[:-1], "--data", data, "--laps", 3).out)
    assert once["digest"] == runs[0]["digest"]
    assert set(once) == set(runs[0])


def test_each_run_is_told_before_the_next_is_asked_for(data: Path) -> None:
    process = start(*Q2, "--no-check", "--data", data, stdin=-1, stdout=-1)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        assert json.loads(process.stdout.readline()) == {"ready": True}
        for _ in range(2):
            process.stdin.write("\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["query"] == "q2"
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "add --json -"),
        (("--json", "-", "--live"), "--live is of one run"),
        (("--json", "-", "--worker-time"), "--worker-time"),
    ],
    ids=str,
)
def test_what_goes_with_one_run_only_is_refused(call: Call, data: Path, words: tuple[str, ...], said: str) -> None:
    called = call("run", "q2", "--resident", "--data", data, *words)
    assert called.code == 2
    assert said in called.error


def test_a_closed_standard_input_is_told(data: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "streambench", *Q2, "--data", data]
    command = " ".join(shlex.quote(str(word)) for word in words)
    ended = subprocess.run(["sh", "-c", f"{command} <&-"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "which is closed" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_wrong_run_ends_it(call: Call, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from streambench.lab.workloads.workload import Workload

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n\n")))
    monkeypatch.setattr(Workload, "check", lambda *given: (False, None, "Row 0 is another."))
    called = call(*Q2, "--data", data)
    assert called.code == 1
    assert called.error == "streambench: The run is wrong: Row 0 is another."
    assert told(called.out) == [{"ready": True}]

"""A process that stays says one line when it is asked; whatever else it does is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from streambench.errors import StreambenchError
from streambench.lab.gate.errors import NoAnswerError, UnknownCommandError
from streambench.lab.gate.resident import resident
from streambench.lab.gate.side import Side

READY = "import sys, time; print('{\"ready\": true}', flush=True); sys.stdin.readline(); "


def asked(tmp_path: Path, program: str, times: int = 1, timeout: float = 60) -> list[dict[str, object]]:
    side = Side("new", "0" * 40, tmp_path, [sys.executable, "-c", program])
    with resident(side, []) as process:
        process.await_ready()
        return [process.run(timeout) for _ in range(times)]


def test_long_lines_come_whole(tmp_path: Path) -> None:
    program = READY + "print('{\"text\": \"' + 1000000 * 'x' + '\"}', flush=True)"
    assert asked(tmp_path, program) == [{"text": 1_000_000 * "x"}]


@pytest.mark.parametrize(
    ("program", "problem", "told"),
    [
        ("print('{}')", UnknownCommandError, "does not stay"),
        ("import sys; sys.exit(2)", NoAnswerError, "it ended with 2"),
        (READY + "sys.exit('streambench: no memory')", NoAnswerError, "the new side: no memory"),
        (READY + "print('half', end='', flush=True); sys.exit(3)", NoAnswerError, "it ended with 3"),
        (READY + "print('half', end='', flush=True); time.sleep(1000)", NoAnswerError, "was not done after"),
        (READY + "print('[]', flush=True)", NoAnswerError, "does not print its result as JSON"),
        (READY + "print('{}\\n{}', flush=True); sys.stdin.readline()", NoAnswerError, "more than one line"),
        (READY + "print(200000 * '[', flush=True)", NoAnswerError, "does not print its result as JSON"),
        (READY + "import os, signal; os.kill(0, signal.SIGKILL)", NoAnswerError, "it was ended by signal 9, Killed"),
    ],
    ids=range(9),
)
def test_a_process_that_does_otherwise_has_no_answer(
    tmp_path: Path, program: str, problem: type[StreambenchError], told: str
) -> None:
    with pytest.raises(problem, match=told):
        asked(tmp_path, program, 2, timeout=2)


def test_a_line_without_end_has_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = READY + "import os\nwhile True: os.write(1, 65536 * b'y')"
    monkeypatch.setattr("streambench.lab.gate.resident.MOST_OUTPUT", 1 << 20)
    with pytest.raises(NoAnswerError, match="prints more than 1 MB in a line"):
        asked(tmp_path, program)
    monkeypatch.setattr("streambench.lab.gate.resident.MOST_OUTPUT", 1 << 40)
    with pytest.raises(NoAnswerError, match="was not done after"):
        asked(tmp_path, program, timeout=0.1)


def test_a_process_that_closes_its_output_and_runs_on_has_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streambench.lab.gate.resident.GRACE", 0.1)
    with pytest.raises(NoAnswerError, match="runs on"):
        asked(tmp_path, READY + "import os; os.close(1); time.sleep(1000)")

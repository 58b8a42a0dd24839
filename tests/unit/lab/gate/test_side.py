"""What a side's command prints is read whole, for as long as it runs and no longer, and never without end."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from streambench.lab.gate.errors import NoAnswerError, NoVerdictError
from streambench.lab.gate.side import LONGEST, Side


def measured(tmp_path: Path, program: str, timeout: float = 60.0) -> dict[str, object]:
    return Side("new", "0" * 40, tmp_path, [sys.executable, "-c", program]).measured([], timeout)[0]


def test_output_comes_whole_beside_much_on_standard_error(tmp_path: Path) -> None:
    program = "import sys; sys.stderr.write(1000000 * 'e'); print('{\"text\": \"' + 1000000 * 'x' + '\"}')"
    assert measured(tmp_path, program) == {"text": 1_000_000 * "x"}


def test_a_process_that_a_command_leaves_behind_is_not_waited_for(tmp_path: Path) -> None:
    program = "import subprocess; subprocess.Popen(['sleep', '1000']); print('{}')"
    begin = time.monotonic()
    assert measured(tmp_path, program, LONGEST) == {}
    assert time.monotonic() - begin < LONGEST


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("import os\nwhile True: os.write(1, 65536 * b'y')", "the new side prints more than 1 MB"),
        ("import os\nwhile True: os.write(2, 65536 * b'y')", "was not done after 1 s"),
        ("import os, time; os.close(1); os.close(2); time.sleep(1000)", "was not done after 1 s"),
    ],
    ids=range(3),
)
def test_a_command_without_end_has_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, told: str
) -> None:
    monkeypatch.setattr("streambench.lab.gate.side.MOST_OUTPUT", 1 << 20)
    with pytest.raises(NoAnswerError, match=told):
        measured(tmp_path, program, timeout=60 if "more" in told else 1)


@pytest.mark.parametrize("init", ["print('hello')", None], ids=["prints", "without-init"])
def test_a_package_of_the_sides_own_tree_is_taken_for_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, init: str | None
) -> None:
    package = tmp_path / "own" / "inner"
    package.mkdir(parents=True)
    (package / "__main__.py").touch()
    if init is not None:
        (package.parent / "__init__.py").write_text(init)
    for name in ("own.inner", "own.inner.__main__"):
        Side("new", "0" * 40, tmp_path, [sys.executable, "-m", name]).check()
    monkeypatch.setattr("streambench.lab.gate.side.environment", lambda tree: {"PYTHONPATH": str(tmp_path)})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with pytest.raises(NoVerdictError, match=r"the new side's own\.inner is loaded from elsewhere"):
        Side("new", "0" * 40, elsewhere, [sys.executable, "-m", "own.inner"]).check()


def test_a_run_command_that_ends_with_its_option_has_no_answer(tmp_path: Path) -> None:
    with pytest.raises((NoAnswerError, NoVerdictError), match="the new side"):
        Side("new", "0" * 40, tmp_path, ["sh", "-c", "exit 3", "-m"]).check()

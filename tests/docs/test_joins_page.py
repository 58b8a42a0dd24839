"""The page on joins prints what it says, its command too."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from streambench.lab.cli import main

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "joins.md").read_text()
FENCED = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
PYTHON = [text for language, text in FENCED if language == "python"]
LINES = r"((?:(?!```).*\n)*)"
PRINTED = re.findall(rf"^```python\n{LINES}```\n\nprints\n\n```text\n{LINES}```$", PAGE, re.MULTILINE)
MEASURED = ("joining", "digest")  # differ from machine to machine, and between versions of pyarrow


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if not line.startswith(MEASURED)]


@pytest.mark.parametrize(("program", "printed"), PRINTED, ids=range(len(PRINTED)))
def test_a_program_prints_what_stands_below_it(capfd: pytest.CaptureFixture[str], program: str, printed: str) -> None:
    exec(program, {})
    assert capfd.readouterr().out == printed


def test_every_program_that_prints_is_run() -> None:
    assert len(PRINTED) == PAGE.count("\nprints\n") > 1


def test_the_command_prints_what_stands_below_it(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(PYTHON[1], {})
    (shown,) = (text for _, text in FENCED if text.startswith("$ streambench join"))
    command, printed = shown.split("\n", 1)
    with pytest.raises(SystemExit) as left:
        main(shlex.split(command)[2:])
    assert left.value.code == 0
    assert lines(capfd.readouterr().out) == lines(printed)

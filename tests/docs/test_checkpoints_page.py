"""The program of the page on checkpoints prints what it says, and is as short as it claims to be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "checkpoints.md").read_text()
LINES = r"((?:(?!```).*\n)*)"
PROGRAMS = re.findall(rf"^```python\n{LINES}```$", PAGE, re.MULTILINE)
PRINTED = re.findall(rf"^prints\n\n```text\n{LINES}```$", PAGE, re.MULTILINE)


def test_its_programs_print_what_stands_below_them(capfd: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for program in PROGRAMS:
        exec(program, names)
    assert capfd.readouterr().out == PRINTED[0]
    assert len(PRINTED) == 1


def test_its_restartable_example_takes_fifteen_lines_at_most() -> None:
    assert 0 < len([line for line in PROGRAMS[0].splitlines() if line]) <= 15

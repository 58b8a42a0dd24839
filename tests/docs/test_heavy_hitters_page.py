"""The page on heavy hitters prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "heavy-hitters.md").read_text()
LINES = r"((?:(?!```).*\n)*)"
PRINTED = re.findall(rf"^```python\n{LINES}```\n\nprints\n\n```text\n{LINES}```$", PAGE, re.MULTILINE)


def test_its_programs_print_what_stands_below_them(capfd: pytest.CaptureFixture[str]) -> None:
    assert len(PRINTED) == PAGE.count("\nprints\n") > 1
    names: dict[str, object] = {}
    for program, printed in PRINTED:
        exec(program, names)
        assert capfd.readouterr().out == printed

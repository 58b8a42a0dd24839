"""The programs of the page on windows print what it says, and its tables name all there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from streambench.windows.aggregates import FUNCTIONS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "windows.md").read_text()
LINES = r"((?:(?!```).*\n)*)"
PRINTED = re.findall(rf"^```python\n{LINES}```\n\nprints\n\n```text\n{LINES}```$", PAGE, re.MULTILINE)


def test_its_programs_print_what_stands_below_them(capfd: pytest.CaptureFixture[str]) -> None:
    assert len(PRINTED) == PAGE.count("\nprints\n") > 1
    names: dict[str, object] = {}
    for program, printed in PRINTED:
        exec(program, names)
        assert capfd.readouterr().out == printed


def test_its_table_names_all_functions() -> None:
    assert set(re.findall(r'\("(\w+)", c', PAGE)) == set(FUNCTIONS)

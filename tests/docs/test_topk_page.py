"""The page on top-k prints what it says, and names what keeps the invariants."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "topk.md").read_text()
LINES = r"((?:(?!```).*\n)*)"
FUNCTION = re.compile(r"^(?= *cdef [^=\n]*\()", re.MULTILINE)  # before each
PRINTED = re.findall(rf"^```python\n{LINES}```\n\nprints\n\n```text\n{LINES}```$", PAGE, re.MULTILINE)


def test_its_programs_print_what_stands_below_them(capfd: pytest.CaptureFixture[str]) -> None:
    assert len(PRINTED) == PAGE.count("\nprints\n") > 1
    names: dict[str, object] = {}
    for program, printed in PRINTED:
        exec(program, names)
        assert capfd.readouterr().out == printed


def test_each_invariant_is_named_by_the_function_that_keeps_it() -> None:
    table = PAGE.split("\n### The invariants\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (4\.\d+)[^|]*\| `(\w+\.\w+)` \| `(\w+)`", table, re.MULTILINE)
    assert {number for number, _, _ in rows} == {f"4.{k}" for k in range(1, 12)}
    for number, file, name in rows:
        functions = FUNCTION.split((ROOT / "pyx" / "topk" / file).read_text())
        (kept,) = [each for each in functions if re.match(rf"[^\n(]*\b{name}\(", each)]
        assert re.search(rf"Invariant {re.escape(number)}\b(?!\.)", kept), (number, file, name)

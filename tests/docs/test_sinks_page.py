"""What the page on sinks shows prints what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "sinks.md").read_text()
FENCED = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
SHOWN = list(zip(FENCED[::2], FENCED[1::2], strict=True))


def test_each_program_prints_what_stands_below_it(capfd: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for program, printed in SHOWN:
        assert program[0] == "python"
        assert printed[0] == "text"
        exec(program[1], names)
        assert capfd.readouterr().out == printed[1]

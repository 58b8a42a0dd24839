"""What the page on several streams shows prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "several-sources.md").read_text()
FENCED = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
SHOWN = list(zip(FENCED[::2], FENCED[1::2], strict=True))


@pytest.mark.parametrize(("program", "printed"), SHOWN, ids=range(len(SHOWN)))
def test_a_program_prints_what_stands_below_it(
    capfd: pytest.CaptureFixture[str], program: tuple[str, str], printed: tuple[str, str]
) -> None:
    assert (program[0], printed[0]) == ("python", "text")
    exec(program[1], {})
    assert capfd.readouterr().out == printed[1]

"""The documented examples of the Ordered Scheduler run, and print what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "ordered-scheduler.md").read_text()
FENCED = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
BLOCKS = [text for language, text in FENCED if not language]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("commands", "printed"), list(zip(BLOCKS[::2], BLOCKS[1::2], strict=True)), ids=["from Python", "from Cython"]
)
def test_documented_example_prints_what_the_page_says(
    example: Callable[[str], Path], commands: str, printed: str
) -> None:
    work = example("ordered_scheduler")
    output = ""
    for line in commands.strip().splitlines()[1:]:  # the first one changes the folder
        program, *arguments = line.split()
        assert program == "python"
        done = subprocess.run([sys.executable, *arguments], cwd=work, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        output = done.stdout
    assert output == printed


def test_the_map_prints_what_the_page_says() -> None:
    (program, printed), *others = re.findall(r"```python\n(.*?)```\n\nprints\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert not others
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (printed, "")

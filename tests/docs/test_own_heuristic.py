"""The documented heuristics are those of the example, are built outside the package, and schedule."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
SECTION = (DOCS / "runtime.md").read_text().partition("#### Your own")[2].partition("\n## ")[0]
PROGRAM = """
import numpy
import streambench.lab
from streambench import Pipeline, TableSink, TableSource, filtered

sink = TableSink()
source = TableSource([numpy.arange(5000)], ["key"])
pipeline = Pipeline([source, filtered(lambda key: key % 3 == 0, numba=False), sink])
pipeline.run(engine="schemes", heuristic="{}", workers=2, unit=7, fuse=False, pin=False)
print(sink.rows()[0].tolist() == list(range(0, 5000, 3)))
"""


def test_the_page_has_the_example_in_python() -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
    assert shown in (DOCS / "examples" / "own_heuristic" / "longest_worklist.py").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["longest_worklist:LongestWorklist", "own_node:OwnNode"])
def test_the_examples_schedule(example: Callable[[str], Path], name: str) -> None:
    work = example("own_heuristic")
    build = [sys.executable, "setup.py", "build_ext", "--inplace"]
    for command in (build, [sys.executable, "-c", PROGRAM.format(name)]):
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert done.stdout == "True\n"

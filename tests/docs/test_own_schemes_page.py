"""The documented schemes are those of the example, are built outside the package, and keep the order."""

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
from streambench import Pipeline, TableSink, TableSource, filtered, keyed

sink = TableSink()
source = TableSource([numpy.arange(5000)], ["key"])
counted = keyed(key="key", state=[("n", "int64")], appends="n", numba=False)(lambda state, key: key + 1)
pipeline = Pipeline([source, filtered(lambda key: key % 3 == 0, numba=False), counted, sink])
pipeline.run(engine="schemes", {}="{}", workers=2, unit=7, fuse=False, pin=False)
print(sink.rows()[1].tolist() == list(range(1, 5001, 3)))
"""


def test_the_page_has_the_examples_in_python() -> None:
    shown = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
    held = [file.read_text() for file in sorted((DOCS / "examples" / "own_schemes").glob("*.py"))]
    assert len(shown) == 3
    assert all(any(each in text for text in held) for each in shown)


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("heuristic", "longest_worklist:LongestWorklist"),
        ("reorder", "heap:Heap"),
        ("partitioning", "longest_first:LongestFirst"),
    ],
)
def test_the_examples_in_python_keep_the_order(example: Callable[[str], Path], option: str, name: str) -> None:
    check(example("own_schemes"), [sys.executable, "-c", PROGRAM.format(option, name)], "True\n")


@pytest.mark.slow
def test_the_example_in_cython_schedules(example: Callable[[str], Path]) -> None:
    work = example("own_schemes")
    check(work, [sys.executable, "setup.py", "build_ext", "--inplace"])
    check(work, [sys.executable, "-c", PROGRAM.format("heuristic", "own_node:OwnNode")], "True\n")


def check(work: Path, command: list[str], printed: str | None = None) -> None:
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert printed in (None, done.stdout)

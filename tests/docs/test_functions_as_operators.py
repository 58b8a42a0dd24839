"""The functions of the page on operators do what it says, with Numba and without; so does its notebook cell."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import streambench
from streambench import TableSink, TableSource

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "writing-operators.md").read_text()
FENCED = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
PYTHON = [text for language, text in FENCED if language == "python"]
CELLS = [text for language, text in FENCED if language == "ipython"]
IN_A_NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in {cells!r}:
    shell.run_cell(cell).raise_error()
"""
USED = """
from streambench import TableSink, TableSource
pipeline = streambench.Pipeline([TableSource([[7, 8, 9], [20, 30, 40]], ["sensor", "reading"]), Hot(), TableSink()])
pipeline.run(workers=2)
print(pipeline.sink.rows()[0].tolist())
"""


@pytest.fixture(params=["Numba", "under the GIL"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's functions are compiled where Numba is installed: have it, or have it not."""
    if request.param != "Numba":
        monkeypatch.setitem(sys.modules, "numba", None)
    elif not importlib.util.find_spec("numba"):
        pytest.skip("Numba is not installed")


@pytest.mark.usefixtures("way")
def test_the_page_begins_with_a_pipeline_that_prints_what_it_says(capfd: pytest.CaptureFixture[str]) -> None:
    (printed,) = [text for language, text in FENCED if language == "text"]
    exec(PYTHON[0], {})
    assert capfd.readouterr().out == printed


@pytest.mark.slow
@pytest.mark.usefixtures("way")
def test_the_further_functions_do_what_their_names_say() -> None:
    names: dict[str, Any] = {"streambench": streambench, "np": np}
    exec(PYTHON[1], names)
    random = np.random.default_rng(3)
    sensor, celsius = random.integers(-2, 9, 5000), random.integers(-40, 120, 5000)
    between = [names[each] for each in ("known", "converted", "hot", "summed")]
    source = TableSource([sensor, celsius], ["sensor", "celsius"])
    pipeline = streambench.Pipeline([source, *between, TableSink()])
    pipeline.run(workers=3, unit=64)
    fahrenheit = [int(each) * 9 // 5 + 32 for each in celsius]
    kept = [(int(s), f) for s, f in zip(sensor, fahrenheit, strict=True) if s >= 0 and f > 100]
    assert [each.tolist() for each in pipeline.sink.rows()] == [
        [s for s, _ in kept],
        [f for _, f in kept],
        [sum(f for _, f in kept[: k + 1]) for k in range(len(kept))],
    ]


@pytest.mark.usefixtures("way")
def test_the_mapped_function_does_what_its_name_says() -> None:
    names: dict[str, Any] = {"streambench": streambench}
    exec(PYTHON[2], names)
    source = TableSource([np.array([1, 2, 3]), np.array([31, 30, 40])], ["sensor", "celsius"])
    pipeline = streambench.Pipeline([source, names["warm"], TableSink()])
    pipeline.run(workers=1)
    assert [each.tolist() for each in pipeline.sink.rows()] == [[1, 3], [87, 104]]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("plan", ["whole", "sharded"])
def test_the_keyed_function_and_its_neighbours_do_what_their_names_say(plan: str) -> None:
    names: dict[str, Any] = {"streambench": streambench}
    exec(PYTHON[2], names)
    exec(PYTHON[3], names)
    random = np.random.default_rng(4)
    sensor, celsius = random.integers(0, 9, 500), random.integers(-40, 120, 500)
    between = [names[each] for each in ("warm", "averaged", "above_mean")]
    pipeline = streambench.Pipeline([TableSource([sensor, celsius], ["sensor", "celsius"]), *between, TableSink()])
    pipeline.run(workers=2, plan=plan, unit=64)
    warm: dict[int, list[int]] = {}
    above = []
    for each, degrees in zip(sensor.tolist(), celsius.tolist(), strict=True):
        if degrees > 30:
            warm.setdefault(each, []).append(degrees * 9 // 5 + 32)
            excess = warm[each][-1] - sum(warm[each]) // len(warm[each])
            above += [(each, excess)] if excess > 0 else []
    assert list(zip(*(column.tolist() for column in pipeline.sink.rows()), strict=True)) == above


@pytest.mark.usefixtures("way")
def test_the_flushed_function_does_what_its_name_says() -> None:
    names: dict[str, Any] = {"streambench": streambench}
    exec(PYTHON[4], names)
    source = TableSource([np.array([8, 7, 8, 7]), np.array([20, -5, 3, 40])], ["sensor", "celsius"])
    pipeline = streambench.Pipeline([source, names["lowest"], TableSink()])
    pipeline.run(workers=2)
    assert [each.tolist() for each in pipeline.sink.rows()] == [[7, 8], [-5, 3]]


@pytest.mark.usefixtures("way")
def test_the_function_with_a_timer_does_what_its_name_says() -> None:
    names: dict[str, Any] = {"streambench": streambench}
    exec(PYTHON[5], names)
    source = TableSource([np.array([0, 30, 59, 60, 119, 200]), np.array([7, 8, 7, 7, 8, 8])], ["ts", "sensor"])
    pipeline = streambench.Pipeline([source, names["watched"], TableSink()])
    pipeline.run(workers=2)
    assert [each.tolist() for each in pipeline.sink.rows()] == [[8, 7, 8, 8], [90, 120, 179, 260]]


@pytest.mark.slow
def test_the_cell_of_a_notebook_compiles_and_runs(tmp_path: Path) -> None:
    pytest.importorskip("IPython")
    assert [cell.count("%") for cell in CELLS] == [1, 2]
    places = {"IPYTHONDIR": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}  # nothing that was compiled before
    environment = {**os.environ, **places, "PYTHONPATH": os.pathsep.join(sys.path)}
    script = IN_A_NOTEBOOK.format(cells=[*CELLS, USED])
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("[8, 9]\n")

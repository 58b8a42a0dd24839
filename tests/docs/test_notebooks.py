"""The notebooks run from their first cell to the last, over a result that is measured here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from streambench.measure.heavy_hitters.measure import topk_bench
from streambench.measure.heavy_hitters.settings import Settings as TopkSettings
from streambench.measure.joins.measure import join_bench
from streambench.measure.joins.settings import Settings
from streambench.record import results

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
RUN = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        shell.run_cell("".join(cell["source"])).raise_error()
"""


@pytest.mark.slow
def test_the_notebook_of_joins_runs_and_shows_table_and_figures(tmp_path: Path) -> None:
    tiny = Settings(
        tiers=("codes", "index"),
        threads=(1, 2),
        windows=(0.02,),
        repeats=1,
        seconds=0.002,
        most_tuples=1024,
        studies=("8a",),
        study_seconds=0.5,
        gates=False,
    )
    shown = _run("joins.ipynb", join_bench(tiny), tmp_path)
    assert "comparisons/s" in shown
    assert shown.count("<IPython.core.display.Image object>") == 5  # 5a, 5b, 5c, 7b, 8a


@pytest.mark.slow
def test_the_notebook_of_heavy_hitters_runs_and_shows_table_and_figures(tmp_path: Path) -> None:
    tiny = TopkSettings(
        alphas=(1.0, 1.5), streams=(2, 4), items=2000, epsilon=0.01, failing=(0.0, 0.25), query_every=1000, repeats=1
    )
    shown = _run("heavy_hitters.ipynb", topk_bench(tiny), tmp_path)
    assert "updates/s" in shown
    assert shown.count("<IPython.core.display.Image object>") == 8  # 1, 2, 6, 8, 9a, 9c, 10b, updates


@pytest.mark.parametrize("name", ["joins.ipynb", "heavy_hitters.ipynb"])
def test_a_notebook_is_committed_without_output_and_holds_no_logic(name: str) -> None:
    cells = [cell for cell in json.loads((NOTEBOOKS / name).read_text())["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert sum(len(cell["source"]) for cell in cells) < 40


def _run(name: str, document: dict[str, Any], folder: Path) -> str:
    """What the notebook prints beside a folder with this result."""
    pytest.importorskip("IPython")
    written = results.write(document, folder / "results")
    (folder / "notebooks").mkdir()
    shutil.copy(NOTEBOOKS / name, folder / "notebooks")
    places = {"IPYTHONDIR": str(folder / "ipython"), "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(
        [sys.executable, "-c", RUN, name], cwd=folder / "notebooks", env={**os.environ, **places, "MPLBACKEND": "agg"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr
    assert written.name in found.stdout
    return found.stdout

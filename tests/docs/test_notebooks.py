"""The notebooks run from their first cell to the last, over a result that is measured here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from streambench.measure.joins.measure import join_bench
from streambench.measure.joins.settings import Settings
from streambench.record import results

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "joins.ipynb"
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
    pytest.importorskip("IPython")
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
    written = results.write(join_bench(tiny), tmp_path / "results")
    (tmp_path / "notebooks").mkdir()
    shutil.copy(NOTEBOOK, tmp_path / "notebooks")
    places = {"IPYTHONDIR": str(tmp_path / "ipython"), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment = {**os.environ, **places, "MPLBACKEND": "agg"}
    found = subprocess.run(
        [sys.executable, "-c", RUN, "joins.ipynb"],
        cwd=tmp_path / "notebooks", env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr
    assert written.name in found.stdout
    assert "comparisons/s" in found.stdout
    assert found.stdout.count("<IPython.core.display.Image object>") == 5  # 5a, 5b, 5c, 7b, 8a


def test_a_notebook_is_committed_without_output_and_holds_no_logic() -> None:
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert sum(len(cell["source"]) for cell in cells) < 40

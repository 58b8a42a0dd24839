"""The notebooks run from their first cell to the last over the committed results, and tell what is missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from committed import linked_results

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
NAMES = sorted(each.stem for each in NOTEBOOKS.glob("*.ipynb"))
RUN = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        shell.run_cell("".join(cell["source"])).raise_error()
"""
PICTURE = "<PIL.Image.Image image mode=P"
PICTURES = {"topk": 1, "heuristics": 1, "joins": 1, "latency_under_load": 1, "snet": 1}
MOST_BYTES = 70_000


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_over_the_committed_results(name: str, tmp_path: Path) -> None:
    linked_results(tmp_path)
    done = _execute(name, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(PICTURE) == PICTURES.get(name, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_without_results_ends_with_a_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    done = _execute(name, tmp_path)
    assert done.returncode != 0
    assert "StreambenchError: there is no result file" in done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_holds_no_logic_and_its_committed_output_is_whole_and_small(name: str) -> None:
    text = (NOTEBOOKS / f"{name}.ipynb").read_text()
    assert len(text.encode()) < MOST_BYTES
    cells = [cell for cell in json.loads(text)["cells"] if "outputs" in cell]
    assert sum(len(cell["source"]) for cell in cells) < 50
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    shown = [each for cell in cells for each in cell["outputs"]]
    assert len(shown) >= len(cells) - 1  # the imports of one show nothing
    assert not [each for each in shown if each["output_type"] == "error" or each.get("name") == "stderr"]


def _execute(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a notebook beside a folder of results."""
    pytest.importorskip("IPython")
    (folder / "notebooks").mkdir()
    shutil.copy(NOTEBOOKS / f"{name}.ipynb", folder / "notebooks")
    places = {"IPYTHONDIR": str(folder / "ipython"), "PYTHONPATH": os.pathsep.join(sys.path), "MPLBACKEND": "agg"}
    return subprocess.run(
        [sys.executable, "-c", RUN, f"{name}.ipynb"], cwd=folder / "notebooks", env={**os.environ, **places},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip

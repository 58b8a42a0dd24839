"""The notebooks run from their first cell to the last, over results that are measured here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import made_up_rates
import pytest
import small_data
from click.testing import CliRunner
from made_up_simulation import as_the_paper_says, simulation

from streambench.cli import cli
from streambench.figures import draw
from streambench.measure.heavy_hitters.measure import topk_bench
from streambench.measure.heavy_hitters.settings import Settings as TopkSettings
from streambench.measure.joins.measure import join_bench
from streambench.measure.joins.settings import Settings
from streambench.measure.perf.measure import perf
from streambench.measure.perf.sections import latency
from streambench.measure.perf.settings import Settings as PerfSettings
from streambench.measure.snet.measure import snet_bench
from streambench.measure.snet.settings import Settings as SnetSettings
from streambench.record import results

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
RUN = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for name in sys.argv[1:]:
    shell.reset()
    print("notebook", name)
    for cell in json.load(open(name))["cells"]:
        if cell["cell_type"] == "code":
            shell.run_cell("".join(cell["source"])).raise_error()
"""
TINY_JOINS = Settings(
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
OF_PAPERS = ("joins", "heavy_hitters", "snet")
OF_FRAMES = ("quickstart", "heuristics", "partitioning", "reordering", "latency_under_load", "compare_two_machines")
PICTURE = "<PIL.Image.Image image mode=P"
MOST_BYTES = 500_000


@pytest.mark.slow
def test_the_notebook_of_joins_runs_and_shows_table_and_figures(tmp_path: Path) -> None:
    shown = _run("joins.ipynb", join_bench(TINY_JOINS), tmp_path)
    assert "comparisons/s" in shown
    assert shown.count(PICTURE) == 5  # 5a, 5b, 5c, 7b, 8a


@pytest.mark.slow
def test_the_notebook_of_heavy_hitters_runs_and_shows_table_and_figures(tmp_path: Path) -> None:
    tiny = TopkSettings(
        alphas=(1.0, 1.5), streams=(2, 4), items=2000, epsilon=0.01, failing=(0.0, 0.25), query_every=1000, repeats=1
    )
    shown = _run("heavy_hitters.ipynb", topk_bench(tiny), tmp_path)
    assert "updates/s" in shown
    assert shown.count(PICTURE) == 8  # 1, 2, 6, 8, 9a, 9c, 10b, updates


@pytest.mark.slow
def test_the_notebook_of_s_net_runs_its_net_and_shows_table_and_figures(tmp_path: Path) -> None:
    sizes = {"fibonacci": (5,), "power-of-two": (3,), "sieve-star": (9,), "sieve-feedback": (9,), "stap-like": (1,)}
    shown = _run("snet.ipynb", snet_bench(SnetSettings((*sizes, "cholesky"), sizes, ("64/16",), repeats=1)), tmp_path)
    assert "[{'<v>': 5}]" in shown
    assert "1 worker / 2" in shown
    assert shown.count(PICTURE) == 6  # 8, 9, 11a, 11b, 12, 13


@pytest.mark.slow
def test_the_notebooks_that_read_frames_run_over_small_fresh_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "results"
    data = small_data.make(tmp_path / "data", 1).path
    over = ["--data", str(data), "--queries", "q1", "--repeats", "1"]
    axes = ["--heuristics", "ct,lp", "--reorders", "nonblocking,lock", "--partitionings", "hybrid,partitioned"]
    pipelines = ["--micro", "ps", "--keys", "normal,uniform", "--seconds", "0.02"]
    for command in (
        ["bench", *over, "--workers", "1,2", "--min-seconds", "0.01"],
        ["sweep", *over, "--workers", "2", *pipelines, *axes],
    ):
        done = CliRunner().invoke(cli, [*command, "--results", str(folder)])
        assert done.exit_code == 0, done.output
    (bench,) = folder.glob("*-bench.json")
    results.write(json.loads(bench.read_text()) | {"created": "2030-01-02T00:00:00+00:00"}, folder)  # two, to compare
    results.write(join_bench(replace(TINY_JOINS, studies=())), folder)
    results.write(made_up_rates.document(), folder)
    monkeypatch.setattr(latency, "STREAMS", {"no work": latency.STREAMS["no work"]})
    results.write(perf(PerfSettings(seconds=0.02, repeats=1), ["latency"], {}), folder)
    simulated = results.write(simulation(as_the_paper_says()), folder)
    draw(json.loads(simulated.read_text()), simulated.with_suffix(""), ["8a"])
    shown = _execute([f"{name}.ipynb" for name in OF_FRAMES], tmp_path)
    assert [line.split()[1] for line in shown.splitlines() if line.startswith("notebook ")] == [
        f"{name}.ipynb" for name in OF_FRAMES
    ]
    # What the cell with a simulated figure prints and shows is the result whose figures lie beside it.
    assert f"{simulated.stem}\n{PICTURE}" in shown
    assert "nothing tells their machines and data apart" in shown
    assert "cannot be told" in shown
    assert "highest rate with p99 within 5.00 ms of arrival" in shown


@pytest.mark.parametrize("name", OF_PAPERS + OF_FRAMES)
def test_a_notebook_holds_no_logic_and_its_committed_output_is_whole(name: str) -> None:
    text = (NOTEBOOKS / f"{name}.ipynb").read_text()
    assert len(text) < MOST_BYTES
    cells = [cell for cell in json.loads(text)["cells"] if "outputs" in cell]
    assert sum(len(cell["source"]) for cell in cells) < 50
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    shown = [each for cell in cells for each in cell["outputs"]]
    assert len(shown) >= len(cells)
    assert not [each for each in shown if each["output_type"] == "error" or each.get("name") == "stderr"]


def _run(name: str, document: dict[str, Any], folder: Path) -> str:
    """What the notebook prints beside a folder with this result."""
    written = results.write(document, folder / "results")
    shown = _execute([name], folder)
    assert written.name in shown
    return shown


def _execute(names: Sequence[str], folder: Path) -> str:
    """What notebooks print beside a folder of results."""
    pytest.importorskip("IPython")
    (folder / "notebooks").mkdir()
    for name in names:
        shutil.copy(NOTEBOOKS / name, folder / "notebooks")
    places = {"IPYTHONDIR": str(folder / "ipython"), "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(
        [sys.executable, "-c", RUN, *names], cwd=folder / "notebooks",
        env={**os.environ, **places, "MPLBACKEND": "agg"}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout

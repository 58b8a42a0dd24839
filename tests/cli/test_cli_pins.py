"""A worker that the system does not let stay on its core is told, wherever its number goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hand_made import Call

from streambench.lab.record import results

NOWHERE = (1022, 1023)
"""Cores that no machine here has."""
TOLD = "the system refused to pin workers to core 1022: they ran wherever it put them, so distrust the numbers"


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are to stay on cores that are not there."""
    monkeypatch.setattr("streambench.execution.engines.core_order", lambda cpus, place: NOWHERE)


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("engine", ["serial", "ordered"])
def test_a_run_tells_that_a_worker_could_not_be_pinned(call: Call, data: Path, tmp_path: Path, engine: str) -> None:
    file = tmp_path / "run.json"
    workers = () if engine == "serial" else ("--workers", 1)
    done = call("run", "q1", "--data", data, "--engine", engine, *workers, "--json", file)
    assert done.code == 0, done.err
    assert f"note: {TOLD}" in done.out
    assert json.loads(file.read_text())["unpinned"] == [1022]


@pytest.mark.usefixtures("nowhere")
def test_whoever_asks_for_no_pinning_is_told_nothing(call: Call, data: Path) -> None:
    done = call("run", "q1", "--data", data, "--workers", 1, "--no-pin", "--json", "-")
    assert done.code == 0, done.err
    assert "pin workers" not in done.err
    assert json.loads(done.out)["unpinned"] == []


@pytest.mark.slow
@pytest.mark.usefixtures("nowhere")
def test_a_document_warns_of_runs_that_could_not_be_pinned(call: Call, tmp_path: Path) -> None:
    done = call(
        *("bench", "sweep", "--micro", "sl", "--costs", 20, "--workers", 1, "--run-time", "20ms", "--repeats", 2),
        *("--results", tmp_path),
    )
    assert done.code == 0, done.err
    (file,) = tmp_path.glob("*-sweep.json")
    document = results.read(file)
    assert TOLD in document["warnings"]
    assert {tuple(run["unpinned"]) for run in document["runs"]} == {(1022,)}
    assert TOLD in " ".join(f"{done.out}{done.err}".split())

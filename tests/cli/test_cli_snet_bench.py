"""`streambench bench snet` prints, writes, and refuses in one sentence; a wrong answer has no number."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hand_made import Call

from streambench.lab.measure.snet import bench, bursts
from streambench.lab.measure.snet.cases import CASES, matrix
from streambench.lab.measure.snet.programs import sieve_blocks
from streambench.lab.record import results, snet_summary

SMALL = {
    "fibonacci": (10,),
    "power-of-two": (4,),
    "sieve-star": (20,),
    "sieve-feedback": (20,),
    "sieve-blocks": (5000,),
    "filters": (2000,),
    "cholesky": (64,),
    "stap-like": (2,),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("runtime", ["naive", "front", "threads"])
@pytest.mark.filterwarnings("ignore::streambench.snet.net.DiscardedRecordsWarning")
def test_every_runtime_gives_the_known_answer(case: str, runtime: Any) -> None:
    own = CASES[case]
    for size in SMALL[case]:
        assert own.problem(size, list(own.net().run(own.records(size, 16), own.boxes, runtime=runtime))) is None


def test_a_wrong_answer_is_seen() -> None:
    for case, wrong in (
        ("fibonacci", [{"<X>": 54}]),
        ("power-of-two", [{"<X>": 15}]),
        ("sieve-star", [{"<X>": 3}]),
        ("filters", [{"<v>": 1}]),
        ("sieve-blocks", [{"block": sieve_blocks.Block(np.arange(1001, 5001), 1000)}]),
        ("cholesky", [{"L": np.zeros_like(matrix(64))}]),
        ("stap-like", [{"targets": np.empty((0, 2)), "<burst>": k} for k in range(2)]),
        ("stap-like", [{"targets": np.array(bursts.planted(0)), "<burst>": 0}]),
    ):
        assert CASES[case].problem(SMALL[case][0], wrong) is not None


def test_the_benchmarks_are_measured_printed_and_written(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        bench.PRESETS, "quick", {"sizes": SMALL, "concurrency": (1, 2), "cholesky": ("64/16",), "repeats": 2}
    )
    folder, rows = tmp_path / "results", tmp_path / "rows.json"
    called = call(
        "bench", "snet", "--cases", "fibonacci,filters,stap-like,cholesky", "--results", folder, "--json", rows
    )
    assert called.code == 0, called.err
    (path,) = folder.glob("*-snet-bench.json")
    document = results.read(path)
    assert json.loads(rows.read_text()) == document["summary"]
    assert [tuple(row[name] for name in snet_summary.POINT) for row in document["summary"]] == [
        (case, size, tile, runtime, workers, calls)
        for case, size, tile in (("fibonacci", 10, 0), ("filters", 2000, 0), ("stap-like", 2, 0), ("cholesky", 64, 16))
        for runtime, workers, calls in (("front", 1, 1), ("front", 2, 1), ("front", 2, 2), ("threads", 1, 1))
        if calls == 1 or case == "stap-like"
    ]
    assert {run["blas_threads"] for run in document["runs"]} <= {1, None}
    drawn = sorted(each.name for each in path.with_suffix("").iterdir())
    assert drawn == [f"figure-{name}.{kind}" for name in ("12", "13", "8") for kind in ("csv", "png", "svg")]
    with (path.with_suffix("") / "figure-13.csv").open() as file:
        speeds = {(row["line"], row["x"]): float(row["y"]) for row in csv.DictReader(file)}
    seconds = {
        row["workers"]: row["seconds"]
        for row in document["summary"]
        if row["case"] == "cholesky" and row["runtime"] == "front"
    }
    assert speeds["FRONT", "1"] == 1
    assert speeds["ideal", "2"] == 2
    assert speeds["FRONT", "2"] > 0
    assert len(seconds) == 2
    assert "MTI-STAP, a substitute" in (path.with_suffix("") / "figure-12.svg").read_text().replace("\n", " ")
    assert "calls/s a worker ≥ 10.0 M" in called.out
    assert not list(folder.glob("unfinished-*"))


def test_a_wrong_run_has_no_number_and_the_command_fails(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(bench.PRESETS, "quick", {"sizes": SMALL, "repeats": 1})
    monkeypatch.setattr("streambench.lab.measure.snet.cases.fibonacci", lambda n: 1)
    called = call("bench", "snet", "--cases", "fibonacci", "--workers", "1", "--results", tmp_path)
    assert called.code == 1
    assert "wrong results, which have no number: fibonacci 10, front 1, fibonacci 10, threads." in called.err


def run(runtime: str, workers: int, repeat: int, seconds: float) -> dict[str, Any]:
    return {
        "case": "fibonacci",
        "size": 20,
        "tile": 0,
        "runtime": runtime,
        "workers": workers,
        "concurrency": 1,
        "repeat": repeat,
        "seconds": seconds,
        "calls_per_second": None,
        "peak_memory_bytes": 1,
        "verified": True,
    }


def test_ratios_are_of_runs_side_by_side_and_targets_are_judged() -> None:
    runs = [
        run(*point, repeat, seconds)
        for repeat, slower in enumerate((1, 2, 3))
        for point, seconds in ((("front", 1), 0.02), (("front", 2), 0.04), (("threads", 1), slower))
    ]
    one, two, threads = snet_summary.rows(runs)
    assert one["ratio"]["median"] == pytest.approx(100)
    assert [(each["wanted"], each["met"]) for each in one["targets"]] == [(0.045, True), (50, True)]
    assert two["ratio"]["median"] == pytest.approx(0.5)
    assert [each["met"] for each in two["targets"]] == [False]
    assert (threads["ratio"], threads["targets"]) == (None, [])


def test_what_cannot_be_measured_is_refused_before(call: Call, tmp_path: Path) -> None:
    called = call("bench", "snet", "--cases", "nothing", "--results", tmp_path)
    assert called.code == 2
    assert called.error.startswith("streambench: --cases takes some of ")
    called = call("bench", "snet", "--workers", "65", "--results", tmp_path)
    assert called.code == 2
    assert called.error == "streambench: --workers must be from 1 to 64, not 65."
    called = call("bench", "snet", "--cholesky", "100/7", "--results", tmp_path)
    assert called.code == 2
    assert called.error == "streambench: --cholesky takes tiles that divide the matrix: 100 is no multiple of 7."
    called = call("bench", "snet", "--cholesky", "100", "--results", tmp_path)
    assert called.code == 2
    assert called.error == "streambench: --cholesky takes sizes of matrix and tile as 4096/64, not '100'."

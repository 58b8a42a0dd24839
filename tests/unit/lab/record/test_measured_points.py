"""What is laid beside a simulation was measured: a core for each worker, the same data, the same options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_up_simulation import simulation
from made_up_sweep import document, runs

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.measured_points import measured

CORES = 64  # of the machine that measured: more than are here
ORDERED = Options(engine="ordered", preload=True)
SCHEMES = Options(engine="schemes", preload=True)
DATA = {"data": "sf0.5", "scale_factor": 0.5}


def of(options: Options, workers: int, throughput: float = 1e6, **changes: Any) -> list[dict[str, Any]]:
    """Three runs there, as they are recorded."""
    settled = settle(Options.of(options, workers=workers), CORES)
    described = {name: getattr(settled, name) for name in CONFIGURATION} | changes
    return runs(throughput, throughput / 1e9, jitter=(0.5, 1.0, 1.25), **described)


@pytest.fixture
def result(tmp_path: Path) -> Any:
    def write(*made: list[dict[str, Any]], **changes: Any) -> Path:
        path = tmp_path / "result.json"
        path.write_text(json.dumps(document([run for each in made for run in each], CORES) | changes))
        return path

    return write


@pytest.mark.parametrize("options", [ORDERED, SCHEMES])
def test_what_was_left_open_there_and_here_is_alike_on_any_number_of_cores(result: Any, options: Options) -> None:
    found = measured(result(of(options, 1, 1e6), of(options, 16, 8e6)), "q1", options, DATA, "paper")
    assert {workers: (each.throughput, each.latency, each.runs) for workers, each in found.points.items()} == {
        1: (1e6, pytest.approx(1e-3), 3),
        16: (8e6, pytest.approx(8e-3), 3),
    }
    assert (found.name, found.machine) == ("result.json", "Example 9000, 64 cores")


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        *((ORDERED, each) for each in ({"plan": "cut"}, {"unit": 64}, {"partitions": 3}, {"credit": 2})),
        (ORDERED, {"latency_target": 0.01}),
        *((SCHEMES, each) for each in ({"partitions": 3}, {"credit": 2}, {"heuristic": "lp"}, {"fuse": False})),
        (SCHEMES, {"time_slice": 1e-3}),
        (Options.of(SCHEMES, heuristic="qst"), {"capacity": 7}),
    ],
)
def test_runs_of_other_options_are_not_laid_beside(result: Any, options: Options, changes: dict[str, Any]) -> None:
    other = Options.of(options, **changes)
    path = result(of(options, 16, 1e6), of(other, 16, 2e6))
    assert measured(path, "q1", options, DATA, "paper").points[16].throughput == 1e6
    assert measured(path, "q1", other, DATA, "paper").points[16].throughput == 2e6
    ((name, value),) = changes.items()
    with pytest.raises(StreambenchError, match=f"has no run of q1 with engine .*{name} {value}"):
        measured(result(of(options, 16)), "q1", other, DATA, "paper")


def test_what_an_engine_has_not_does_not_tell_runs_apart(result: Any) -> None:
    path = result(of(ORDERED, 2, capacity=512, time_slice=1e-3, laps=7))
    assert measured(path, "q1", ORDERED, DATA, "paper").points[2].runs == 3


def test_runs_with_a_rate_or_fewer_cores_than_workers_do_not_count(result: Any) -> None:
    path = result(of(SCHEMES, 2), of(SCHEMES, 4, rate=1e3), of(SCHEMES, CORES + 1))
    assert list(measured(path, "q1", SCHEMES, DATA, "paper").points) == [2]


def test_what_was_simulated_or_measured_by_another_command_is_refused(result: Any) -> None:
    told = simulation(of(SCHEMES, 16))
    for kind in ("simulation", "sweep"):
        with pytest.raises(StreambenchError, match="was simulated, not measured: name a result of bench or sweep"):
            measured(result(**told | {"kind": kind}), "q1", SCHEMES, DATA, "paper")
    for kind in ("perf", "join-bench"):
        with pytest.raises(StreambenchError, match=f"is a result of {kind}: name one of bench or sweep"):
            measured(result(kind=kind), "q1", SCHEMES, DATA, "paper")


@pytest.mark.parametrize(
    "changes",
    [
        *({name: value} for name, value in (("workers", "x"), ("workers", None), ("latency", None), ("latency", {}))),
        {"latency": {"mean": None}},
        {"throughput": "fast"},
    ],
)
def test_a_run_that_lacks_what_is_laid_beside_is_told_in_one_sentence(result: Any, changes: dict[str, Any]) -> None:
    made = [{**run, **changes} for run in of(SCHEMES, 2)]
    with pytest.raises(StreambenchError, match="is not a whole result file: its runs cannot be"):
        measured(result(made, kind="bench"), "q1", SCHEMES, DATA, "paper")


def test_other_data_and_other_parameters_are_refused(result: Any) -> None:
    parameters = {**DATA, "parameter_set": "paper"}
    path = result(of(ORDERED, 2), parameters=parameters)
    with pytest.raises(StreambenchError, match=r"is of other data, scale_factor 0\.5, not 0\.05"):
        measured(path, "q1", ORDERED, {**DATA, "scale_factor": 0.05}, "paper")
    with pytest.raises(StreambenchError, match="is of the parameters paper, not tpcx-bb"):
        measured(path, "q1", ORDERED, DATA, "tpcx-bb")

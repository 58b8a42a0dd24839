"""A simulated sweep is fed with profiles that its result keeps, and whoever feeds it with them simulates the same."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work

from streambench.errors import OptionError, StreambenchError
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.measure.frame import measure
from streambench.lab.measure.kept_records import KeptRecords
from streambench.lab.measure.simulation import bench as simulation_room
from streambench.lab.measure.simulation.bench import SimulationBench
from streambench.lab.measure.simulation.from_result import read
from streambench.lab.measure.simulation.paper_costs import LINEAR_UP_TO, as_in_the_paper
from streambench.lab.measure.simulation.settings import PAPER, SimulatedSchedule
from streambench.lab.measure.sweep.product import Product, merged
from streambench.lab.measure.sweep.schedule import Schedule
from streambench.lab.record.journal import Journal
from streambench.lab.record.results import content
from streambench.lab.record.simulation_summary import KIND, LEAST_WINDOWS, rows
from streambench.lab.simulate.kept_profile import KeptProfile, restored, strata
from streambench.lab.simulate.times import Times
from streambench.lab.simulate.topology import Topology
from streambench.lab.workloads.micro import MicroSpec, OperatorSpec

TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000)
PRODUCT = Product(micro=("sl-ps",), costs=(2.0,), workers=(1, 4), units=(1,), fuse=(False,), heuristics=("ct", "lp"))


@pytest.fixture(autouse=True)
def known_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation_room, "measure", lambda: TIMES)


def settings(**changes: Any) -> SimulatedSchedule:
    schedule = Schedule(merged(PRODUCT.comparisons()), repeats=2)
    return SimulatedSchedule(**{"schedule": schedule, "tuples": 400, **changes})


CALL = {
    "step": "begun",
    "machine": {"cpu": {"model": "x", "allowed": [0, 1], "hypervisor": "none"}},
    "warnings": [],
    "busy": None,
}


def made(fed: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    return measure(SimulationBench(settings(**changes), fed), call=CALL)


def test_every_parallel_run_is_simulated_checked_and_says_so() -> None:
    found = made()
    assert [(run["engine"], run["simulated"]) for run in found["runs"]].count(("serial", False)) == 2
    simulated = [run for run in found["runs"] if run["simulated"]]
    assert len(simulated) == 8
    assert {run["sequence_ok"] for run in simulated} == {True}
    assert {run["fed_with"] for run in simulated} == {each["key"] for each in found["parameters"]["profiles"]}
    assert {run["seed"] - run["repeat"] for run in simulated} == {1}
    assert {(row["engine"], row["simulated"]) for row in rows(found["runs"])} == {("serial", False), ("schemes", True)}
    assert all(row["ratio"] is not None for row in rows(found["runs"]) if row["simulated"])


def test_fed_with_a_result_it_measures_nothing_and_simulates_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    first = made()

    def never(*_: Any) -> None:
        raise AssertionError("something was measured")

    for name in ("kept", "checked_run", "measure"):
        monkeypatch.setattr(simulation_room, name, never)
    assert made(first)["runs"] == first["runs"]
    changed = made(first, seed=7)["runs"]
    assert [run for run in changed if not run["simulated"]] == [run for run in first["runs"] if not run["simulated"]]
    assert changed != first["runs"]


def test_what_the_result_has_not_measured_is_one_sentence() -> None:
    first = made()
    with pytest.raises(StreambenchError, match="has not measured all of sl-ps"):
        made(first, schedule=Schedule(merged(PRODUCT.comparisons()), repeats=3))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"profiles": None}, "what was measured is not told"),
        ({"profiles": [{"key": "one", "samples": ""}]}, "what was measured is not told"),
        ({"times_ns": {}}, "what was measured is not told"),
        ({"times_ns": asdict(TIMES) | {"near_line": -1.0}}, "the time of near_line must be nanoseconds from 0 up"),
    ],
)
def test_a_result_that_lacks_what_it_is_to_feed_is_refused_before_it_feeds(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    first = made()
    file = tmp_path / "result.json"
    file.write_bytes(content(first))
    assert read(file)["parameters"]["profiles"]
    file.write_bytes(content({**first, "parameters": first["parameters"] | changes}))
    with pytest.raises(StreambenchError, match=f"result.json is not a whole result file: {told}"):
        read(file)
    file.write_bytes(content({**first, "kind": "sweep"}))
    with pytest.raises(StreambenchError, match="this is a result of sweep"):
        read(file)


def test_an_interrupted_one_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[int, float | None]] = []

    def report(doing: str, done: int, left: float | None) -> None:
        steps.append((done, left))
        if len(steps) == 9:
            raise KeyboardInterrupt

    wanted = SimulationBench(settings())
    assert wanted.total == 14
    with Journal(tmp_path, KIND, "key") as journal, pytest.raises(KeyboardInterrupt):
        measure(wanted, report, journal=journal, call=CALL)
    with Journal(tmp_path, KIND, "key") as journal:
        kept = KeptRecords(journal)
        assert 0 < kept.count(*wanted.counted) < 14
        profiles = measure(wanted, journal=journal, call=CALL)["parameters"]["profiles"]
        after = KeptRecords(journal)
        assert after.count(*wanted.counted) == 14
        assert all({"key": key, **each} in profiles for key, each in kept.of_step("profile").items())
    with Journal(tmp_path, KIND, "key") as journal:
        monkeypatch.setattr(simulation_room, "once", None)
        assert len(measure(wanted, journal=journal, call=CALL)["runs"]) == 10
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


def pieces() -> tuple[Any, Any]:
    drawn = np.random.default_rng(1)
    work = np.repeat(
        np.array([[Work.APPLY, 1, 1], [Work.PROCESS, 2, 1], [Work.APPLY, 3, 40]], dtype=np.int64), 100, axis=0
    )
    return work, drawn.gamma(2.0, 500.0, size=(300, 2))


def test_strata_keep_the_mean_of_each_distribution_and_come_back_from_text() -> None:
    work, spans = pieces()
    kept = strata(work, spans)
    assert len(kept) == 3 * 16
    for place in (1, 2, 3):
        of_place = kept[kept[:, 1] == place].astype(float)
        weights = of_place[:, 5]
        for column in (0, 1):
            mean = float(np.average(of_place[:, 3 + column], weights=weights))
            assert mean == pytest.approx(spans[work[:, 1] == place, column].mean(), rel=1e-5)
        assert of_place[:, 4].std() > 100
    profile = KeptProfile(kept, 100, 0.5, 3)
    back = restored(profile.text(), 100, 0.5, 3)
    assert (back.rows == profile.rows).all()
    assert (back.digest, back.pieces) == (profile.digest, 300)
    with pytest.raises(StreambenchError, match="it was changed"):
        restored(profile.text()[:-9], 100, 0.5, 3)


def test_at_the_papers_costs_one_worker_takes_what_its_text_says() -> None:
    work, spans = pieces()
    profile = KeptProfile(strata(work, spans), 100, 0.5, 0)
    pipeline = simulation_room.WithoutWork(MicroSpec((OperatorSpec("sl", 5), OperatorSpec("ps", 5)), 10)).pipeline(
        settle(Options(engine="schemes")), keep=False
    )
    for query, cores in LINEAR_UP_TO.items():
        assert as_in_the_paper(profile, query, pipeline).whole() == pytest.approx(cores * 1e3, rel=1e-4)
    spec = MicroSpec((OperatorSpec("sl", 10.0, selectivity=3.0), OperatorSpec("ps", 7.0)), 10)
    found = as_in_the_paper(profile, spec, pipeline).per_tuple()
    assert found[1] == pytest.approx(10e3, rel=1e-4)
    assert found[2] == pytest.approx(21e3, rel=1e-4)
    assert found[3] == pytest.approx(profile.per_tuple()[3])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"tuples": 3}, "tuples are from"),
        ({"seed": -1}, "seed must be"),
        ({"costs": "guessed"}, "costs are measured or paper"),
        ({"topology": Topology(1, 2)}, "cores are from 1 to 2"),
    ],
)
def test_what_cannot_be_simulated_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(OptionError, match=why):
        settings(**changes)


def test_of_a_query_that_the_paper_has_not_no_cost_is_known() -> None:
    schedule = Schedule(merged(Product(queries=("ysb",), workers=(1,)).comparisons()), repeats=1)
    with pytest.raises(OptionError, match="the paper says nothing of ysb"):
        settings(schedule=schedule, costs=PAPER)


def test_runs_last_20_windows_of_the_scheduler_unless_tuples_are_named() -> None:
    costly = Product(micro=("sl-ps",), costs=(2.0,), workers=(1, 4), units=(1,), fuse=(False,), heuristics=("lp",))
    schedule = Schedule(merged(costly.comparisons()), repeats=3)
    found = measure(SimulationBench(SimulatedSchedule(schedule, tuples=None)), call=CALL)
    simulated = [run for run in found["runs"] if run["simulated"]]
    assert {run["sequence_ok"] for run in simulated} == {True}
    assert min(run["seconds"] / run["window"] for run in simulated) >= LEAST_WINDOWS
    laps = {
        run["workers"]: {each["laps"] for each in simulated if each["workers"] == run["workers"]} for run in simulated
    }
    assert {len(each) for each in laps.values()} == {1}
    assert min(min(each) for each in laps.values()) > 1, "one lap lasts long enough"
    assert {run["tuples"] / run["laps"] for run in simulated} == {simulated[0]["micro"]["tuples"]}
    assert min(run["seconds"] for run in made()["runs"] if run["simulated"]) < LEAST_WINDOWS * 0.01

"""Profiles that are kept in a file feed later simulations, and nobody else's."""

from __future__ import annotations

import errno
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.measure.prediction import predict
from streambench.lab.measure.simulation import kept_profiles
from streambench.lab.measure.simulation.kept_profiles import KeptProfiles, key_of
from streambench.lab.simulate.kept_profile import kept_runs, restored
from streambench.lab.simulate.profile import profile
from streambench.lab.simulate.simulate import simulate
from streambench.lab.simulate.times import Times
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec
from streambench.pyx.simulate.costs import Moved

TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000, account=1_000)
OPTIONS = Options(engine="schemes", unit=64, preload=True)


def micro(kind: str = "ps", tuples: int = 20_000) -> MicroWorkload:
    return MicroWorkload(MicroSpec((OperatorSpec(kind, 0.1, state_size=1),), tuples, tuple_size=1))


@pytest.fixture(autouse=True)
def made_up_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_profiles, "measure", lambda: TIMES)


def test_a_second_call_measures_nothing_and_simulates_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, workload = tmp_path / "folder" / "profiles.json", micro()
    first = KeptProfiles(file, workload)
    made = simulate(workload, OPTIONS, [1, 4], times=first.times, profiled=first.profile)
    assert first.measured == 2

    def measured(*_: Any) -> Any:
        raise AssertionError("it is in the file")

    monkeypatch.setattr(kept_profiles, "kept_runs", measured)
    monkeypatch.setattr(kept_profiles, "measure", measured)
    again = KeptProfiles(file, workload)
    assert again.times == TIMES
    assert simulate(workload, OPTIONS, [1, 4], times=again.times, profiled=again.profile) == made
    assert (again.measured, again.warnings) == (0, [])
    curve = predict(workload, OPTIONS, 4, times=again.times, profiled=lambda *_: again.profile(workload, settled(4)))
    assert curve[-1].simulated == made[-1]


def settled(cores: int) -> Any:
    return settle(Options.of(OPTIONS, workers=cores, pin=False), cores)


def test_what_the_file_has_not_is_added(tmp_path: Path) -> None:
    file, workload = tmp_path / "profiles.json", micro()
    KeptProfiles(file, workload).profile(workload, settled(1))
    kept = KeptProfiles(file, workload)
    kept.profile(workload, settled(1))
    assert kept.measured == 0
    kept.profile(workload, settled(4))
    assert kept.measured == 1
    keys = [each["key"] for each in json.loads(file.read_text())["parameters"]["profiles"]]
    assert keys == [key_of(settled(1)), key_of(settled(4))]


def test_what_is_kept_has_the_means_of_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each kind of work, of data that another core had written, too."""
    workload = micro()
    runs = profile(workload, settled(4))
    monkeypatch.setattr("streambench.lab.simulate.kept_profile.profile", lambda *_: runs)
    kept = kept_runs(workload, settled(4))
    back = restored(kept.text(), kept.tuples, kept.seconds, kept.interrupted, columns=7)
    assert np.array_equal(back.rows, kept.rows)
    assert (back.pieces, back.profile.moved) == (runs.pieces, runs.moved)
    for place in np.unique(runs.work[:, 1]):
        for moved in np.unique(runs.work[:, 3]):
            pieces = (runs.work[:, 1] == place) & (runs.work[:, 3] == moved)
            rows = (back.rows[:, 1] == place) & (back.rows[:, 6] == moved)
            assert pieces.any() == rows.any()
            if pieces.any():
                mean = np.average(back.rows[rows, 3], weights=back.rows[rows, 5])
                assert mean == pytest.approx(runs.spans[pieces, 0].mean(), rel=1e-3, abs=1e-3)


def changed(file: Path, **told: Any) -> None:
    document = json.loads(file.read_text())
    document["parameters"] |= told
    file.write_text(json.dumps(document))


def test_of_ordered_work_on_own_data_counts_in_whichever_plan_it_was_measured() -> None:
    given = settle(Options(engine="ordered", unit=64, preload=True, pin=False, workers=2), 2)
    found = kept_runs(micro(), given)
    moved = found.rows[:, 6].astype(np.int64)
    assert {0, int(Moved.PLAN_WHOLE)} <= set(moved.tolist())
    own = found.rows[moved & ~int(Moved.PLAN_WHOLE) == 0]
    assert found.pieces == round(float(own[:, 5].sum()))
    assert found.whole() * found.tuples == pytest.approx(float(((own[:, 3] + own[:, 4]) * own[:, 5]).sum()), rel=1e-4)


def test_profiles_of_something_else_are_refused_in_one_sentence(tmp_path: Path) -> None:
    file, workload = tmp_path / "profiles.json", micro()
    KeptProfiles(file, workload).profile(workload, settled(1))
    with pytest.raises(StreambenchError, match="holds profiles of ps, not of sl: name another file"):
        KeptProfiles(file, micro("sl"))
    with pytest.raises(StreambenchError, match="of another stream"):
        KeptProfiles(file, micro(tuples=10_000))
    changed(file, profiles=[{"key": "one", "samples": "none"}])
    with pytest.raises(StreambenchError, match="no whole file of profiles: it was changed"):
        KeptProfiles(file, workload)
    changed(file, profiles=[], times_ns={"near_line": 1})
    with pytest.raises(StreambenchError, match="no whole file of profiles"):
        KeptProfiles(file, workload)
    for value in (-1, float("nan"), 1e300):
        changed(file, times_ns={**asdict(TIMES), "near_line": value})
        told = f"{file.name} is no whole file of profiles: the time of near_line must be nanoseconds from 0 up"
        with pytest.raises(StreambenchError, match=told):
            KeptProfiles(file, workload)
    file.write_text(json.dumps({**json.loads(file.read_text()), "kind": "bench"}))
    with pytest.raises(StreambenchError, match="is a result of bench and holds no profiles"):
        KeptProfiles(file, workload)
    file.write_text("")
    with pytest.raises(StreambenchError, match="it is empty; name another file with --profiles"):
        KeptProfiles(file, workload)


def test_a_place_that_cannot_be_written_to_is_told_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, workload = tmp_path / "profiles.json", micro()
    KeptProfiles(file, workload).profile(workload, settled(1))
    kept = KeptProfiles(file, workload)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(kept_profiles.atomic_file, "probe", full)
    monkeypatch.setattr(kept_profiles, "kept_runs", lambda *_: pytest.fail("it was measured"))
    told = "cannot be written to .*: No space left on device; make room, or name another place with --profiles"
    with pytest.raises(StreambenchError, match=told):
        kept.profile(workload, settled(4))
    kept.profile(workload, settled(1))  # is there, and read only
    with pytest.raises(StreambenchError, match=told):
        KeptProfiles(tmp_path / "other.json", workload)


def test_profiles_of_another_version_or_processor_are_told(tmp_path: Path) -> None:
    file, workload = tmp_path / "profiles.json", micro()
    KeptProfiles(file, workload).profile(workload, settled(1))
    document = json.loads(file.read_text())
    document["parameters"]["profiles"][0] |= {"version": "0.0.1", "git": "0123456789ab"}
    document["machine"]["cpu"]["model"] = "Another 9000"
    file.write_text(json.dumps(document))
    kept = KeptProfiles(file, workload)
    kept.profile(workload, settled(1))
    processor, version = kept.warnings
    assert "measured on another processor (Another 9000) than this" in processor
    assert "measured with streambench 0.0.1 (0123456789ab), and this is" in version
    with pytest.raises(StreambenchError, match="is of another processor"):
        kept.profile(workload, settled(4))

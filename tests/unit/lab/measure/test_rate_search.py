"""The search for a rate: what a run says, how long runs get, and that an interrupted search goes on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import made_up_rates
import pytest
from made_up_sweep import machine, runs

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.lab.measure import frame
from streambench.lab.measure import rate_search as searching
from streambench.lab.measure.frame import BenchData, measure
from streambench.lab.measure.rate_search import RateSearch, outcome
from streambench.lab.record import journaled_document
from streambench.lab.record.journal import Memory

CALL = {"step": "begun", "machine": machine(2), "warnings": [], "busy": None}
DATA = BenchData(SimpleNamespace())  # type: ignore[arg-type]  # nobody reads it
WANTED = RateSearch(queries=("q1",), workers=(2,), quantile="p99", bound=5e-3)


def a_run(p99: float = 1e-3, **more: Any) -> dict[str, Any]:
    usual = {"throughput": 1e6, "offered": 1e6, "disturbed": False, "steadiness": {"warm_up_share": 0.0}}
    return {**usual, "latency_end_to_end": {"p99": p99}, **more}


STARTING: dict[str, Any] = {"steadiness": {"warm_up_share": 0.4}}


@pytest.mark.parametrize(
    ("run", "last", "found"),
    [
        (a_run(), False, (True, None)),
        (a_run(disturbed=True, **STARTING), False, (True, None)),  # in spite of all
        (a_run(6e-3), False, (False, None)),
        (a_run(throughput=0.9e6), False, (False, None)),
        (a_run(6e-3, disturbed=True), True, (None, "disturbed")),
        (a_run(throughput=0.9e6, disturbed=None), False, (False, None)),  # too short to tell is no excuse
        (a_run(6e-3, **STARTING), False, (None, "starting up")),
        (a_run(6e-3, **STARTING), True, (False, None)),
        (a_run(6e-3, throughput=0.9e6, **STARTING), False, (False, None)),  # it has no rest to come to
    ],
)
def test_a_run_met_the_bound_missed_it_or_missed_it_doubtfully(
    run: dict[str, Any], last: bool, found: tuple[bool | None, str | None]
) -> None:
    assert outcome(run, WANTED, last=last) == found


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"bound": 90.0}, "p99 must be from 1e-06 to 60 seconds, not 90."),
        ({"seconds": 0}, "seconds must be from 0.01 to 600 seconds, not 0."),
        ({"precision": 2.0}, "precision must be from 0.001 to 1, not 2."),
        ({"quantile": "p98"}, "there is no quantile p98"),
        ({"queries": ("qjoin",)}, "qjoin joins two streams"),
    ],
)
def test_what_nobody_could_search_is_refused(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        RateSearch(**{**WANTED.plain(), **changed})


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Options]:
    """The options of all runs that are measured, by a machine whose latency follows from the rate alone."""
    found: list[Options] = []

    def checked_run(workload: Any, options: Options, repeat: int, *_: Any) -> dict[str, Any]:
        found.append(options)
        waits = dict.fromkeys(("p50", "p90", "p99", "p999", "max"), made_up_rates.latency(options.rate, 1e6))
        (made,) = runs(options.rate or 1e6, jitter=[1.0], engine=options.engine, workers=options.workers)
        start = {"verdict": "steady", "warm_up_share": 0.5 if options.arrival_seed == 1 else 0.0}  # a rate's first run
        more = {"rate": options.rate, "offered": options.rate, "latency_end_to_end": waits, "steadiness": start}
        return {**made, **more, "disturbed": False, "arrivals": options.arrivals, "repeat": repeat}

    room = SimpleNamespace(laps=1 << 20)
    workload = SimpleNamespace(
        name="q1", rows=1000, room=room, serial_digest=lambda laps: "0", require_rows=lambda: None
    )
    for room, name, instead in (
        (frame, "Workload", lambda *_, **how: workload),
        (searching, "checked_run", checked_run),
        (searching, "one_lap", lambda *_: (None, True, None)),
        (frame, "describe", lambda data: {"data": "made up"}),
    ):
        monkeypatch.setattr(room, name, instead)
    monkeypatch.setattr(journaled_document.neighbours, "warning", lambda when: None)
    return found


def test_an_interrupted_search_goes_on_and_measures_nothing_twice(measured: list[Options]) -> None:
    first, journal = Memory(), Memory()
    whole = measure(WANTED, data=DATA, journal=first, call=CALL)
    serial, ordered = whole["summary"]
    assert serial["low"] <= serial["sustainable_rate"] <= 0.8e6 < serial["missed_rate"] <= serial["high"]
    assert [ordered[name] for name in ("low", "high")] == [serial[name] for name in ("low", "high")]
    assert whole["parameters"]["data"] == "made up"
    all_runs = len(measured)
    for record in first.records[:20]:
        journal.append(record)
    kept = sum(record["step"] == "run" for record in journal.records)
    assert 0 < kept < all_runs
    measured.clear()
    again = measure(WANTED, data=DATA, journal=journal, call=CALL)
    assert len(measured) == all_runs - kept
    assert again["runs"] == whole["runs"]


def test_a_run_lasts_as_long_as_bound_and_quantile_need_and_longer_after_a_start_up(measured: list[Options]) -> None:
    wanted = RateSearch(queries=("q1",), workers=(1,), quantile="p99", bound=50e-6, engines=("serial",))
    measure(wanted, data=DATA, call=CALL)
    at_full_speed, at_a_rate = ([each for each in measured if bool(each.rate) is paced] for paced in (False, True))
    assert len(at_full_speed) == 3
    assert all(each.laps * 1000 >= wanted.seconds * each.rate for each in at_a_rate)
    first, longer = at_a_rate[:2]
    assert (longer.rate, longer.laps) == (first.rate, 2 * first.laps)
    assert RateSearch(queries=("q1",), workers=(1,), quantile="p999", bound=1e-3).markers * 0.6 * 0.001 >= 50

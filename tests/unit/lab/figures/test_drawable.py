"""Figures show no simulated run that is too short, nor a workload that one simulated worker is wrong about."""

from __future__ import annotations

from typing import Any

import pytest
from made_up_simulation import as_the_paper_says, simulation
from made_up_sweep import Run, document, micro, runs, serial

from streambench.lab.claims import judge
from streambench.lab.figures import draw
from streambench.lab.figures.selection import Mode
from streambench.lab.figures.simulated import charts

VALIDATION = {
    "summary": [
        {"engine": engine, "workers": workers, "throughput_error": error, "latency_error": 9.0}
        for engine, workers, error in (
            *(("schemes", 1, each) for each in (-0.2, 0.0, 0.25)),
            *(("schemes", 2, each) for each in (-0.9, 9.0)),
            *(("ordered", 1, each) for each in (-0.9, 9.0)),
        )
    ]
}
LIGHT = micro(("sl", 10.0, 1.0))


def speeds(factor: float = 1.0, **how: Any) -> list[Run]:
    """Both heuristics on 1, 2 and 4 workers, LP a tenth slower; ``factor``: times what all of them would be."""
    made = serial(1e6, unit=1, **how)
    for workers in (1, 2, 4):
        for heuristic, speed in (("ct", 1e6), ("lp", 0.9e6)):
            made += runs(factor * speed * workers, workers=workers, heuristic=heuristic, **how)
    return made


def shown(
    made: list[Run], measured: list[Run] | None, validation: Any = VALIDATION, name: str = "8a"
) -> tuple[set[tuple[str, str, int]], str]:
    """(panel, line, workers) of simulated points of a figure, and its caption."""
    real = None if measured is None else document(measured, 4)
    ((_, _, _, chart, caption),) = charts(simulation(made, cores=4), real, validation, [name], [Mode(1, False)])
    return {(row["panel"], row["line"], row["x"]) for row in chart.rows if row["simulated"] == "yes"}, caption


BOTH = {(f"{heuristic}, simulated", workers) for heuristic in ("ct", "lp") for workers in (1, 2, 4)}


@pytest.mark.parametrize("factor", [0.79, 0.81, 1.0, 1.24, 1.26])
def test_a_workload_is_shown_where_one_worker_lies_within_what_validate_says(factor: float) -> None:
    measured = speeds(query="q1") + speeds(query="q2")
    points, caption = shown(speeds(factor, query="q1") + speeds(query="q2"), measured)
    right = 0.8 < factor < 1.25
    assert {each[1:] for each in points if each[0] == "q2"} == BOTH
    assert {each[1:] for each in points if each[0] == "q1"} == (BOTH if right else set())
    reason = (
        "one simulated worker is not 0.80 to 1.25 times as fast as a measured one, as nine of ten compared ones are"
    )
    assert (f" Not drawn, because {reason}: q1 ({factor:.2f})." in caption) == (not right)
    assert "not compared" not in caption


def test_one_heuristic_that_is_off_leaves_out_all_of_the_workload() -> None:
    made = speeds(query="q1") + speeds(query="q2")
    slow = [
        run if (run["query"], run["heuristic"], run["workers"]) != ("q1", "lp", 1) else {**run, "throughput": 0.3e6}
        for run in made
    ]
    points, caption = shown(slow, made)
    assert {each[0] for each in points} == {"q2"}
    assert "q1 (0.33 to 1.00)" in caption


def test_the_length_of_the_streams_does_not_matter() -> None:
    longer = {**LIGHT, "tuples": 77}
    measured = runs(1e5, micro=longer, workers=1, laps=9)
    made = [*serial(1e5, micro=LIGHT, unit=1), *runs(1e5, micro=LIGHT, workers=1), *runs(2e5, micro=LIGHT, workers=2)]
    assert "not compared" not in shown(made, measured, name="12a")[1]
    off = [{**run, "throughput": run["throughput"] / 4} for run in made]
    with pytest.raises(ValueError, match="not enough values"):  # no chart
        shown(off, measured, name="12a")


def test_where_nothing_was_compared_all_is_shown_and_said_to_be() -> None:
    made, measured = speeds(0.1, query="q1"), speeds(query="q1")
    for points, caption in (
        shown(made, measured, None),
        shown(made, None),
        shown(made, [run for run in measured if run["workers"] > 1]),
    ):
        assert {each[1:] for each in points} == BOTH
        assert caption.endswith(" One worker is not compared with a measured one: q1.")


@pytest.mark.parametrize(("seconds", "long"), [(0.199, False), (0.2, True)])
def test_a_configuration_is_shown_if_each_run_lasts_20_windows(seconds: float, long: bool) -> None:
    made = speeds(query="q1")
    for run in made:
        if (run["workers"], run["repeat"], run["engine"]) == (4, 3, "schemes"):
            run["seconds"] = seconds
    points, caption = shown(made, made)
    assert {each[1:] for each in points} == {each for each in BOTH if long or each[1] != 4}
    reason = " Not drawn, because a run lasted less than 20 of the scheduler's windows: q1 on 4 cores."
    assert (reason in caption) == (not long)
    if not long:  # of shorter windows it has enough
        assert {each[1:] for each in shown([{**run, "window": 0.005} for run in made], None)[0]} == BOTH


def test_a_figure_without_points_that_can_be_shown_is_told_with_the_reason(tmp_path: Any) -> None:
    told: list[str] = []
    short = [{**run, "seconds": 0.1} for run in speeds(query="q1")]
    sl = [*serial(1e5, micro=LIGHT, unit=1), *runs(1e5, micro=LIGHT, workers=1)]
    draw(simulation(short + sl, cores=4), tmp_path, ["8a", "12a"], told.append, None, VALIDATION)
    (sentence,) = told
    assert sentence.startswith(
        "figure 8a is not drawn: a run lasted less than 20 of the scheduler's windows: q1 on 1, 2, 4 cores; `"
    )


def test_no_claim_rests_on_short_simulated_runs() -> None:
    made = as_the_paper_says()
    _, judged = judge(simulation(made))
    _, short = judge(simulation([{**run, "seconds": 0.1} for run in made]))
    assert {verdict.outcome for _, verdict in judged} != {verdict.outcome for _, verdict in short}
    assert {str(verdict.outcome) for _, verdict in short} == {"cannot be told"}
    assert all("or for less than 20 of the scheduler's windows" in verdict.why for _, verdict in short)

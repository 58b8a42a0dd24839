"""Verdicts follow from the numbers: data that supports a claim, data that contradicts it, data that leaves it open."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from made_up_sweep import JITTER, Run, document, latencies, light, paced, runs, selective, skewed, whole
from rich.console import Console

from streambench.errors import OptionError, StreambenchError
from streambench.lab import claims
from streambench.lab.claims import CLAIMS
from streambench.lab.claims.claim import Outcome, Verdict
from streambench.lab.claims.table import Side, markdown, plain, terminal
from streambench.lab.figures.selection import Mode
from streambench.lab.record.statistics import FEWEST_REPEATS

HOLDS, FAILS, OPEN = Outcome.HOLDS, Outcome.FAILS, Outcome.OPEN
UNSURE = (0.5, 2.0, 0.7, 1.5, 1.0, 0.6, 1.8, 0.8, 1.2)  # repeats that scatter widely


def verdict(number: int, made: list[Run], cores: int = 4) -> Verdict:
    _, judged = claims.judge(document(made, cores))
    return judged[number - 1][1]


def scaled(where: Callable[[Run], bool], factor: float, name: str = "throughput") -> list[Run]:
    """The whole sweep with one number changed: throughput, or mean latency."""
    made = whole()
    for run in made:
        if run["engine"] == "schemes" and run["micro"] is None and where(run):
            if name == "latency":
                run["latency"]["mean"] *= factor
            else:
                run[name] *= factor
    return made


def is_query(query: str, **how: str) -> Callable[[Run], bool]:
    return lambda run: run["query"] == query and all(run[name] == value for name, value in how.items())


def test_all_claims_hold_for_data_that_supports_them() -> None:
    _, judged = claims.judge(document(whole(16) + paced(16), 16))
    assert [claim.number for claim, _ in judged] == list(range(1, 16))
    assert {found.outcome for _, found in judged} == {HOLDS}


@pytest.mark.parametrize(
    ("number", "made", "named"),
    [
        (1, scaled(is_query("q3", heuristic="et"), 2.0), "q3 ct/et"),
        (1, scaled(is_query("q1", heuristic="lp"), 1.3), "q1 ct/lp"),
        (2, scaled(is_query("q2", heuristic="ct"), 2.0, "latency"), "q2 ct/lp"),
        (2, scaled(is_query("q2", heuristic="et"), 0.05, "latency"), "q2 et/lp"),
        (4, skewed(hybrid=0.5), "hybrid, sigma 0.1/1"),
        (4, skewed(partitioned=1.0), "partitioned, sigma 0.1/1"),
        (5, latencies(hybrid=4.0), "10 µs hybrid/cost"),
        (5, latencies(partitioned=1.5), "10 ms partitioned/hybrid"),
        (6, scaled(is_query("q4", partitioning="partitioned"), 2.0), "q4 hybrid/partitioned"),
        (7, light(lock=1.2), "nonblocking/lock"),
        (8, selective(lock=1.2), "nonblocking/lock"),
        (9, scaled(is_query("q15", reorder="lock"), 2.0), "q15 nonblocking/lock"),
        (11, latencies(speed=0.5), "10 µs hybrid/partitioned"),
        (13, scaled(is_query("q4", reorder="lock"), 4.0, "latency"), "q4 lock/nonblocking"),
        (
            14,
            scaled(is_query("q3", heuristic="et"), 0.05, "latency") + paced(),
            "q3 full/low rate",
        ),
        (15, scaled(lambda run: run["query"] == "q1" and run["workers"] == 4, 0.5), "q1 of linear"),
    ],
)
def test_one_part_that_is_surely_not_so_is_enough_for_a_claim_not_to_hold(
    number: int, made: list[Run], named: str
) -> None:
    found = verdict(number, made)
    assert found.outcome is FAILS
    assert named in found.why


def test_a_claim_of_three_queries_holds_for_three_and_fails_without_them() -> None:
    def sooner(*names: str) -> list[Run]:
        return scaled(lambda run: run["query"] in names and run["partitioning"] == "partitioned", 0.1, "latency")

    assert verdict(12, sooner("q1", "q3")).outcome is HOLDS
    assert verdict(12, sooner("q1", "q3")).why.startswith("so for q2 latency")
    assert verdict(12, sooner("q1", "q2", "q3")).outcome is FAILS
    unsure = [run for run in sooner("q1", "q3") if not is_query("q2", partitioning="partitioned")(run)]
    assert verdict(12, unsure).outcome is OPEN
    assert "q2 latency, partitioned/hybrid: not measured" in verdict(12, unsure).why


def test_a_rate_that_is_not_low_and_a_latency_that_follows_from_the_bound_say_nothing_of_the_rate() -> None:
    fast = [run | {"rate": 0.7 * 1e6 * 4 * 0.6} for run in paced()]
    assert "not measured" in verdict(14, whole() + fast).why
    soon = scaled(is_query("q3", heuristic="et"), 0.05, "latency")
    bounded = [run | {"credit": 4096} if run["query"] == "q3" else run for run in soon + paced()]
    assert verdict(14, bounded).outcome is OPEN
    assert "q3 full/low rate: no more than 4,096 tuples could be in flight" in verdict(14, bounded).why


def test_few_cores_say_nothing_of_many_unless_they_are_too_many_already() -> None:
    found = verdict(15, whole())
    assert found.outcome is OPEN
    assert "q1 of linear: so to 4, and it needs 16 cores" in found.why
    assert verdict(15, whole(16), 16).outcome is HOLDS


@pytest.mark.parametrize(("data_profile", "told"), [("session", {1, 6, 9, 15}), ("even", set()), (None, set())])
def test_what_uneven_categories_bound_is_told_beside_claims_on_q15s_speed(
    data_profile: str | None, told: set[int]
) -> None:
    made = document(whole())
    plainly = claims.judge(made)[1]
    made["parameters"]["data_profile"] = data_profile
    judged = claims.judge(made)[1]
    assert [found.outcome for _, found in judged] == [found.outcome for _, found in plainly]
    reason = "two of Q15's categories have 75% of the items, and one worker at a time has a category"
    assert {claim.number for claim, found in judged if reason in found.why} == told
    assert {claim.number for claim, found in judged if "2.2 times as fast at most" in found.why} == told
    made["runs"] = [run for run in made["runs"] if run["query"] != "q15"]
    assert not any("categories" in found.why for _, found in claims.judge(made)[1])


def test_runs_that_all_had_a_rate_are_refused() -> None:
    with pytest.raises(StreambenchError, match="all runs of the result had a rate"):
        claims.judge(document(paced()))


def test_without_a_rate_nothing_is_said_of_the_rate() -> None:
    found = verdict(14, whole())
    assert found.outcome is OPEN
    assert found.why == "not measured; `streambench bench sweep --rates` measures it"


@pytest.mark.slow
def test_claims_that_need_one_case_fail_only_without_any() -> None:
    level = [run for run in whole() if run["heuristic"] in ("ct", "walk")]
    same = level + [run | {"heuristic": "lp"} for run in level if run["heuristic"] == "ct"]
    assert verdict(3, same).outcome is FAILS
    slow = scaled(lambda _: True, 1e-3)
    assert verdict(10, slow).outcome is FAILS
    late = scaled(lambda _: True, 1e3, "latency")
    assert verdict(10, late).outcome is FAILS
    one_fast = slow + runs(5e6, 1e-3, query="q4", workers=4)
    assert verdict(10, one_fast).outcome is HOLDS
    assert verdict(10, one_fast).why == "so for q4"


@pytest.mark.parametrize(
    ("heuristic", "factor", "credit", "outcome"),
    [
        ("ct", 1.0, 1 << 20, HOLDS),
        ("et", 1.0, 150_000, HOLDS),  # ET and QST would be farther still without the bound
        ("ct", 1.0, 20_000, OPEN),  # CT is close, perhaps for the bound alone
        ("ct", 2.0, 20_000, FAILS),  # CT is far even so
        ("ct", 0.5, 10_000, OPEN),  # CT is ahead, perhaps for the bound alone
        ("ct", 0.55, 14_000, FAILS),  # LP is behind even so
        ("et", 0.05, 8_000, OPEN),  # ET is not far, perhaps for the bound alone
    ],
)
def test_a_latency_that_follows_from_what_may_be_in_flight_decides_only_what_the_bound_cannot_have_changed(
    heuristic: str, factor: float, credit: int, outcome: Outcome
) -> None:
    made = scaled(is_query("q2", heuristic=heuristic), factor, "latency")
    found = verdict(2, [run | {"credit": credit} if run["query"] == "q2" else run for run in made])
    assert found.outcome is outcome
    assert ("could be in flight, and most of these were (--credits)" in found.why) == (outcome is OPEN)


def test_of_runs_with_more_and_less_in_flight_those_with_more_are_judged() -> None:
    less = [run | {"credit": 1024, "throughput": 1e9} for run in whole() if run["micro"] is None]
    assert verdict(2, whole() + less).outcome is HOLDS


def test_a_latency_that_follows_from_throughput_is_no_case_of_millions_in_milliseconds() -> None:
    made = [run | {"credit": 1024} if run["micro"] is None else run for run in whole()]
    assert verdict(10, made).outcome is OPEN
    assert "no more than 1,024 tuples could be in flight" in verdict(10, made).why


def test_shares_that_differ_make_no_case() -> None:
    made = runs(2e6, costs=(1.0, 0.1, 0.1)) + runs(1e6, costs=(0.1, 1.0, 0.1), heuristic="lp")
    found = verdict(3, made)
    assert found.outcome is OPEN
    assert "q1: no two heuristics divide the time alike" in found.why


def test_an_interval_that_includes_the_edge_leaves_a_claim_open() -> None:
    made = scaled(lambda _: True, 1.0)
    made = [run for run in made if not is_query("q2", heuristic="et")(run)]
    made += runs(8e6, query="q2", heuristic="et", workers=4, jitter=UNSURE)
    found = verdict(1, made)
    assert found.outcome is OPEN
    assert found.why == "q2 ct/et: the interval includes 1"


@pytest.mark.slow
@pytest.mark.parametrize(("part", "outcome"), [(0.0, HOLDS), (0.4, HOLDS), (0.9, OPEN), (1.0, OPEN)])
def test_a_claim_that_rests_on_disturbed_runs_cannot_be_told(part: float, outcome: Outcome) -> None:
    made = light(lock=0.5)
    for number, run in enumerate(made):
        run["disturbed"] = number % 10 < 10 * part
    found = verdict(7, made)
    assert found.outcome is outcome
    assert ("runs were disturbed by neighbours or the host" in found.why) == (outcome is OPEN)
    result = document(made, 4)
    side = Side(result, *claims.judge(result))
    count = sum(run["disturbed"] for run in made)
    assert (f"{count} of {len(made)} runs were disturbed by" in markdown(side)) == (count > 0)


def test_a_number_of_disturbed_runs_decides_nothing_beside_quiet_ones() -> None:
    """Its points are those of the most workers: all of these are disturbed, and few of all runs."""
    made = light(lock=0.5)
    quiet = [{**run, "workers": count} for count in (1, 2) for run in made if run["engine"] != "serial"]
    loud = [{**run, "disturbed": run["engine"] != "serial"} for run in made]
    assert verdict(7, [*quiet, *made]).outcome is HOLDS
    found = verdict(7, [*quiet, *loud])
    assert found.outcome is OPEN
    assert "runs were disturbed by neighbours or the host" in found.why
    assert verdict(7, [*made, *({**run, "disturbed": True} for run in quiet)]).outcome is HOLDS


def test_disturbed_runs_of_every_claim_leave_it_open() -> None:
    made = [{**run, "disturbed": True} for run in whole()]
    for number in range(1, 11):
        assert verdict(number, whole()).outcome is not OPEN
        assert verdict(number, made).outcome is OPEN


def test_few_repeats_leave_a_claim_open() -> None:
    few = [run for run in whole(16) + paced(16) if run["repeat"] < FEWEST_REPEATS - 1]
    enough = [run for run in whole(16) + paced(16) if run["repeat"] < FEWEST_REPEATS]
    for claim in CLAIMS:
        found = verdict(claim.number, few, 16)
        assert found.outcome is OPEN
        assert "fewer than 6 repeats" in found.why
        assert verdict(claim.number, enough, 16).outcome is HOLDS


def test_what_was_not_measured_leaves_a_claim_open_and_names_the_sweep() -> None:
    made = skewed()
    for claim in CLAIMS:
        found = verdict(claim.number, made)
        assert (found.outcome is OPEN) == (claim.number != 4)
        if claim.number != 4:
            assert "not measured" in found.why
            sweep = "--rates" if claim.at_rates else f"--preset paper --figures {claim.figure.rstrip('ab')}"
            assert f"`streambench bench sweep {sweep}` measures it" in found.why


def test_one_missing_query_leaves_a_claim_over_five_open_unless_another_fails() -> None:
    four = [run for run in whole() if run["query"] != "q3"]
    assert verdict(9, four).outcome is OPEN
    worse = [run | {"throughput": 9e9} if is_query("q1", reorder="lock")(run) else run for run in four]
    assert verdict(9, worse).outcome is FAILS


def test_a_wrong_run_has_no_number() -> None:
    made = whole()
    for run in made:
        if is_query("q1", heuristic="et")(run):
            run |= {"answer_ok": False, "throughput": 9e9}
    found = verdict(1, made)
    assert found.outcome is OPEN
    assert "q1 ct/et: not measured" in found.why
    assert "left out, because a run was wrong: q1 (et, nonblocking, hybrid, 1 workers)" in found.why


def test_a_side_that_was_wrong_at_its_best_workers_is_compared_where_both_are_right() -> None:
    made = runs(3e6, workers=2) + runs(1e6, workers=1) + runs(2e6, workers=1, heuristic="lp")
    made += runs(9e6, workers=2, heuristic="lp", right=False)
    (evidence,) = (each for each in verdict(1, made).evidence if each.subject == "q1 ct/lp")
    assert evidence.number is not None
    assert evidence.number.median == pytest.approx(0.5)
    assert evidence.at == "1"


def test_effects_of_contention_cannot_be_refuted_on_few_cores() -> None:
    for number, made in ((7, light(2, lock=1.2)), (8, selective(2, lock=1.2))):
        found = verdict(number, made, cores=2)
        assert found.outcome is OPEN
        assert "not seen on 2 cores; it needs" in found.why
    assert verdict(7, light(2, lock=0.8), cores=2).outcome is HOLDS


def test_partitioned_queues_are_judged_by_ranges_that_skew_makes_uneven_only() -> None:
    """Of two ranges either holds half of the keys, at every sigma: that the speed-up stays says nothing."""
    two = verdict(4, skewed(2, ranges=1), cores=2)
    assert two.outcome is OPEN
    assert "`streambench bench sweep --preset paper --figures 9` measures it" in two.why
    assert verdict(4, skewed(2), cores=2).outcome is FAILS


def test_hybrid_queues_that_fall_under_skew_fail_on_any_number_of_cores() -> None:
    made = skewed(2)
    for run in made:
        if run["partitioning"] == "hybrid" and run["micro"]["sigma"] == 0.1 and run["engine"] == "schemes":
            run["throughput"] *= 0.5
    assert verdict(4, made, cores=2).outcome is FAILS


def test_more_workers_than_cores_do_not_count() -> None:
    made = [run for run in whole(4) if run["workers"] == 4]
    assert "not measured" in verdict(9, made, cores=2).why


def test_what_is_shown_beside_a_claim_does_not_decide_it() -> None:
    walking = scaled(lambda run: run["heuristic"] == "walk", 9.0)
    assert verdict(1, walking).outcome is HOLDS
    q15 = scaled(is_query("q15", partitioning="partitioned"), 9.0)
    assert verdict(6, q15).outcome is HOLDS


def test_the_smallest_unit_is_judged_unless_another_is_wanted() -> None:
    made = whole() + [run | {"unit": 256} for run in whole() if run["engine"] == "schemes"]
    mode, _ = claims.judge(document(made, 4))
    assert mode == Mode(1, False)
    mode, judged = claims.judge(document(made, 4), 256)
    assert mode == Mode(256, False)
    assert judged[0][1].outcome is HOLDS
    with pytest.raises(OptionError, match="unit 7 was not measured: choose from 1, 256"):
        claims.judge(document(made), 7)


def test_queries_without_added_costs_are_judged_unless_others_are_wanted() -> None:
    costly = [run | {"query": f"{run['query']}@10us"} for run in whole() if run["micro"] is None]
    mode, judged = claims.judge(document(whole() + costly, 4))
    assert (mode, judged[0][1].outcome) == (Mode(1, False), HOLDS)
    mode, judged = claims.judge(document(whole() + costly, 4), operator_cost="10us")
    assert (mode, judged[0][1].outcome) == (Mode(1, False, "10us"), HOLDS)
    assert judged[3][1].outcome is HOLDS  # of parametric pipelines, whose costs are their own
    both = [run | {"query": f"{run['query']}@2us"} for run in whole() if run["micro"] is None] + costly
    mode, judged = claims.judge(document(both, 4))
    assert (mode, judged[0][1].outcome) == (Mode(1, False, "2us"), HOLDS)
    with pytest.raises(OptionError, match="operator-cost 5us was not measured: choose from 0, 10us"):
        claims.judge(document(whole() + costly, 4), operator_cost="5us")


def test_a_document_of_another_kind_is_refused() -> None:
    with pytest.raises(StreambenchError, match="and this is one of bench"):
        claims.judge(document(runs()) | {"kind": "bench"})
    with pytest.raises(StreambenchError, match="no run of the paper's schemes"):
        claims.judge(document([]))


@pytest.mark.parametrize("jitter", [JITTER, (1.0, 9.0, 0.1, 2.0, 0.5)])
def test_the_table_fits_100_columns_and_names_every_claim_and_verdict(jitter: Sequence[float]) -> None:
    made = document(
        [
            run | {"throughput": run["throughput"] * jitter[run["repeat"]]}
            for run in whole(2)
            if run["repeat"] < len(jitter)
        ],
        2,
    )
    mode, judged = claims.judge(made)
    console = Console(width=100, record=True, file=None, quiet=False)
    with console.capture() as captured:
        console.print(terminal(Side(made, mode, judged)))
    text = captured.get()
    assert max(map(len, text.splitlines())) <= 100
    assert "…" not in text
    for claim, found in judged:
        assert claim.text.split()[0] in text
        for each in found.evidence:
            assert each.subject in text, each.subject
    assert "Example 9000, 2 cores" in text


@pytest.mark.parametrize(
    ("repeats", "above", "number"),
    [(9, "median [96.1 %]", "2.00 [2.00, 2.00]"), (5, "median (min to max of 5)", "2.00 (2.00 to 2.00)")],
)
def test_the_tables_say_what_their_intervals_are(repeats: int, above: str, number: str) -> None:
    made = document([run for run in whole(2) if run["repeat"] < repeats], 2)
    mode, judged = claims.judge(made)
    console = Console(width=100)
    with console.capture() as captured:
        console.print(terminal(Side(made, mode, judged)))
    for text in (captured.get(), markdown(Side(made, mode, judged))):
        assert above in text
        assert number in text
        assert "95 %" not in text


def test_json_and_markdown_hold_the_numbers_and_no_nan() -> None:
    made = document(whole(2) + runs(query="q1", heuristic="lp", jitter=JITTER[:1]), 2)
    mode, judged = claims.judge(made)
    told = json.loads(json.dumps(plain(Side(made, mode, judged)), allow_nan=False))
    assert [each["number"] for each in told["claims"]] == list(range(1, 16))
    assert {each["verdict"] for each in told["claims"]} <= {"holds", "does not hold", "cannot be told"}
    first: dict[str, Any] = told["claims"][0]["evidence"][0]
    assert first["subject"] == "q1 ct/qst"
    assert first["median"] == pytest.approx(2.0)
    assert first["claimed"] == {"above": 1.0, "below": None}
    table = markdown(Side(made, mode, judged))
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    assert len(lines) == len(CLAIMS) + 2
    assert "q1 ct/qst 2.00 [2.00, 2.00] (workers: 2)" in lines[2]


def test_every_claim_names_its_place_in_the_paper() -> None:
    assert all(claim.source.startswith("section 7") for claim in CLAIMS)

"""Two results side by side: verdicts follow from exact intervals, unlike results are not compared, wrong runs have no
number."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import made_up_joins
import made_up_perf
import made_up_topk
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.lab.cli import cli
from streambench.lab.compare.comparison import Verdict, compare, compared
from streambench.lab.compare.metric import ComparedPoint, Metric
from streambench.lab.record import results
from streambench.lab.record.perf_summary import TIMES
from streambench.lab.show.comparison import markdown, plain

MACHINE = {"cpu": {"model": "Example 9000", "logical": 2, "allowed": [0, 1], "hypervisor": "none"}}
POINT = ComparedPoint("q1", "ordered", 2)
values = st.lists(st.floats(1.0, 100.0), min_size=1, max_size=12)


def run(throughput: float, p99: float = 1e-3, engine: str = "ordered", **more: Any) -> dict[str, Any]:
    options = vars(Options(engine=engine, workers=1 if engine == "serial" else 2))
    latency = {"p50": p99 / 2, "p90": p99, "p99": p99, "p999": p99, "max": p99, "mean": p99}
    known = {"query": "q1", "micro": None, "repeat": 0, "tuples": 10, "sequence_ok": True, "answer_ok": True}
    return {**options, **known, "throughput": throughput, "latency": latency, **more}


def document(runs: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return results.document("bench", {"data": "sf1", "data_sha256": "ab"}, runs, MACHINE, []) | more


def metric(of: Sequence[float], more_is_better: bool = True) -> Metric:
    return Metric(POINT, "tuples/s", more_is_better, tuple(of), len(of), 0)


@given(values, values, st.booleans())
def test_a_verdict_is_given_only_where_the_runs_lie_apart(
    base: list[float], new: list[float], more_is_better: bool
) -> None:
    row = compared(metric(base, more_is_better), metric(new, more_is_better))
    assert row.ratio is not None
    if row.verdict is Verdict.OPEN:
        assert row.why
        return
    better = row.verdict is Verdict.FASTER
    assert min(len(base), len(new)) >= 7  # so that both medians are covered with 95 %
    assert row.ratio.coverage is not None
    assert row.ratio.coverage >= 0.95
    assert (row.ratio.low > 1) == (better == more_is_better)
    assert (row.ratio.high < 1) == (better != more_is_better)
    assert compared(metric(new, more_is_better), metric(base, more_is_better)).verdict is (
        Verdict.SLOWER if better else Verdict.FASTER
    )


def test_throughput_and_latency_are_judged_each_in_its_own_direction() -> None:
    base = document([run(100 + k, 1e-3 + k * 1e-6) for k in range(7)])
    new = document([run(200 + k, 2e-3 + k * 1e-6) for k in range(7)])
    found = {row.metric: row for row in compare(base, new).rows}
    assert found["tuples/s"].verdict is Verdict.FASTER
    assert found["tuples/s"].ratio is not None
    assert found["tuples/s"].ratio.median == 203 / 103
    assert (found["tuples/s"].ratio.low, found["tuples/s"].ratio.high) == (200 / 106, 206 / 100)
    assert found["p99"].verdict is Verdict.SLOWER
    assert {row.verdict for row in compare(base, base).rows} == {Verdict.OPEN}


def test_a_wrong_run_leaves_no_number() -> None:
    base = document([run(100 + k) for k in range(7)])
    new = document([*[run(900 + k) for k in range(6)], run(900, answer_ok=False)])
    rows = compare(base, new).rows
    assert {row.verdict for row in rows} == {Verdict.WRONG}
    assert {row.ratio for row in rows} == {None}
    assert "1 of 7 runs of the new result gave a wrong answer" in rows[0].why


def test_unlike_machines_and_data_are_refused_unless_forced_and_then_every_line_says_so() -> None:
    base = document([run(100.0)] * 7)
    other = copy.deepcopy(base)
    other["machine"]["cpu"]["model"] = "Example 9001"
    with pytest.raises(StreambenchError, match="processor Example 9000 and Example 9001"):
        compare(base, other)
    lines = markdown(compare(base, other, force=True)).splitlines()
    table = [line for line in lines if line.startswith("| q1")]
    assert len(table) == 6
    assert all("unlike machines or data" in line for line in table)
    with pytest.raises(StreambenchError, match="data of the one name sf1"):
        compare(base, document([run(100.0)] * 7, parameters={"data": "sf1", "data_sha256": "cd"}))
    with pytest.raises(StreambenchError, match="cannot be compared with one of `streambench bench sweep`"):
        compare(base, {**base, "kind": "sweep"}, force=True)


def test_what_only_one_of_them_has_is_named() -> None:
    base = document([run(1.0, engine="serial"), run(2.0)])
    new = document([run(2.0), run(2.0, query="q2")])
    found = compare(base, new)
    assert [(each.what, each.engine) for each in found.only_base] == [("q1", "serial")]
    assert [(each.what, each.engine) for each in found.only_new] == [("q2", "ordered")]
    with pytest.raises(StreambenchError, match="no configuration in common"):
        compare(document([run(1.0, engine="serial")]), new)
    assert json.loads(json.dumps(plain(found, base, new), allow_nan=False))["rows"][0]["ratio"]["median"] == 1.0


@pytest.mark.parametrize("lost", ["missing", None, 0.0, float("nan")])
@pytest.mark.parametrize("runs", [1, 7])
def test_a_metric_that_runs_of_one_result_lack_is_named(lost: Any, runs: int) -> None:
    whole = document([run(100 + k, 1e-3 + k * 1e-6) for k in range(7)])
    part = copy.deepcopy(whole)
    for each in part["runs"][:runs]:
        del each["latency"]["p99"]
        each["latency"] |= {} if lost == "missing" else {"p99": lost}
    for documents, name in (((part, whole), "base"), ((whole, part), "new result")):
        (row,) = [each for each in compare(*documents).rows if each.metric == "p99"]
        assert (row.verdict, row.ratio) == (Verdict.OPEN, None)
        count = "no run" if runs == 7 else "1 of 7 runs"
        assert row.why.startswith(f"{count} of the {name} ")
        assert f"{row.metric} | " in markdown(compare(*documents))
        assert len(compare(*documents).rows) == len(compare(whole, whole).rows)


def test_a_metric_that_is_0_in_both_has_no_ratio() -> None:
    both = document([run(100 + k) for k in range(7)])
    for each in both["runs"]:
        each["latency"]["p50"] = 0.0
    (row,) = [each for each in compare(both, both).rows if each.metric == "p50"]
    assert row.why == "no run of the base has a value above 0 and no run of the new result has a value above 0"


def test_latency_from_arrival_is_compared_as_well() -> None:
    of_old, of_new = ({"p50": wait, "p99": 2 * wait} for wait in (1e-3, 5e-3))
    base, new = (
        document([run(100.0, rate=100.0, latency_end_to_end=waits) for _ in range(7)]) for waits in (of_old, of_new)
    )
    found = {row.metric: row.verdict for row in compare(base, new).rows}
    assert (found["p99 from arrival"], found["p99"]) == (Verdict.SLOWER, Verdict.OPEN)


def test_a_calibrated_unit_tells_no_bench_from_another() -> None:
    base, new = (document([run(100 + k, engine="serial", unit=unit) for k in range(7)]) for unit in (1024, 4096))
    found = compare(base, new)
    assert (found.only_base, found.only_new) == ([], [])
    assert {row.point.engine for row in found.rows} == {"serial"}
    for each, unit in ((base, 1024), (new, 4096)):  # chosen by whoever called it
        each["parameters"] |= {"units_tried": [unit]}
        each["runs"].append(run(1.0))
    told = markdown(compare(base, new))
    assert "Only in the base: q1 serial with 1 worker (unit 1024). " in told
    assert "Only in the new result: q1 serial with 1 worker (unit 4096). " in told


@pytest.mark.parametrize("made", [made_up_perf.document, made_up_joins.document, made_up_topk.document])
def test_results_of_other_kinds_are_compared_alike(made: Any) -> None:
    rows = compare(made(), made()).rows
    assert rows
    assert {row.verdict for row in rows} == {Verdict.OPEN}
    assert {row.ratio.median for row in rows if row.ratio} == {1.0}


def test_the_rate_that_a_join_was_given_tuples_at_is_not_compared() -> None:
    rows = compare(made_up_joins.document(), made_up_joins.document()).rows
    compared = {
        what: {row.metric for row in rows if row.point.what == what} for what in ("throughput", "latency", "skew 8a")
    }
    rates = {"comparisons/s", "tuples/s"}
    assert compared["throughput"] == {*rates, "CPU s per million tuples"}
    assert compared["skew 8a"] == {"CPU s per million tuples"}
    assert compared["latency"] > {"p50"}
    assert not compared["latency"] & rates


@pytest.mark.parametrize(
    ("unit", "more_is_better"),
    [("tuples per second", True), ("G comparisons per core-second", True), (TIMES, True), ("ns per tuple", False)]
    + [(unit, False) for unit in ("µs", "MiB", "% of a core", "ns per decision")],
)
def test_a_series_of_perf_is_better_in_the_direction_of_its_unit(unit: str, more_is_better: bool) -> None:
    base, new = made_up_perf.document(), made_up_perf.document()
    for each, factor in ((base, 1), (new, 2)):
        for case in each["runs"]:
            for series in case["series"]:
                series["unit"], series["values"] = unit, [factor * value for value in series["values"]]
    assert {row.verdict for row in compare(base, new).rows} == {Verdict.FASTER if more_is_better else Verdict.SLOWER}


def test_the_command_prints_a_table_and_writes_files(tmp_path: Path) -> None:
    base = results.write(document([run(100 + k) for k in range(7)]), tmp_path)
    new = results.write(document([run(200 + k) for k in range(7)]), tmp_path)
    out = CliRunner().invoke(cli, ["compare", str(base), str(new), "--json", "-", "--markdown", str(tmp_path / "m.md")])
    assert out.exit_code == 0
    assert json.loads(out.stdout)["verdicts"] == {"faster": 1, "slower": 0, "cannot tell": 5, "wrong answer": 0}
    assert "new to base" in out.stderr
    assert "| q1 | ordered | 2 | tuples/s | 103 | 203 | 1.97 [1.89, 2.06] | faster |" in (tmp_path / "m.md").read_text()
    missing = CliRunner().invoke(cli, ["compare", str(base), str(tmp_path / "no.json")])
    assert isinstance(missing.exception, StreambenchError)


def test_a_folder_stands_for_its_one_result(tmp_path: Path) -> None:
    base = results.write(document([run(100 + k) for k in range(7)]), tmp_path / "before")
    new = results.write(document([run(200 + k) for k in range(7)]), tmp_path / "after")
    plainly, by_folder = (
        CliRunner().invoke(cli, ["compare", *map(str, names), "--json", "-"])
        for names in ((base, new), (base.parent, new.parent))
    )
    assert by_folder.exit_code == 0
    assert by_folder.stdout == plainly.stdout
    results.write(document([run(1.0)]), tmp_path / "after")
    refused = CliRunner().invoke(cli, ["compare", str(base), str(new.parent)])
    assert str(refused.exception) == f"{new.parent} holds 2 result files: name one of them"

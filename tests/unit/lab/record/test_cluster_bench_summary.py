"""What a cluster bench's rows say: medians, ratios, and what further tuples take, a job's own cost apart."""

from __future__ import annotations

import io

import made_up_cluster
import pytest
from rich.console import Console

from streambench.lab.record.cluster_bench_summary import GROWTH, ONE_CORE, OURS, SPARK_SQL, TARGETS, rows, wrong
from streambench.lab.show.tables import cluster as table


def test_growth_leaves_a_jobs_own_cost_out() -> None:
    found = rows(made_up_cluster.document()["runs"])
    assert [(row["query"], row["data"]) for row in found] == [
        (query, data) for query in ("q1", "q4") for data in ("sf1", "sf3", GROWTH)
    ]
    small, _, growth = found[:3]
    assert small["seconds"][OURS] == pytest.approx(3.3)
    for way, (_, grown) in made_up_cluster.COST.items():
        assert growth["seconds"][way] == pytest.approx(grown)
    assert growth["tuples"] == 14_000_000
    per_core = next(target.name for target in TARGETS if target.per_core)
    assert growth["ratios"][per_core] == pytest.approx(0.5 / 0.4 / 2)
    assert small["ratios"][per_core] == pytest.approx(3.5 / 3.3 / 2)
    assert growth["ratios"]["/ Spark SQL"] == pytest.approx(10)


def test_a_wrong_run_has_no_number_and_is_named() -> None:
    found = rows(made_up_cluster.document(wrong=True)["runs"])
    assert wrong(found) == [f"q1 of sf1, {SPARK_SQL}: row 3 differs"]
    assert found[0]["seconds"][SPARK_SQL] is None
    assert found[0]["ratios"]["/ Spark SQL"] is None
    assert found[2]["seconds"].get(SPARK_SQL) is None  # of one size nothing grows
    assert found[0]["ratios"]["2 / 1 executor"] is not None


def test_the_table_says_which_targets_are_missed() -> None:
    out = io.StringIO()
    Console(file=out, width=200).print(table(rows(made_up_cluster.document()["runs"])))
    (line,) = [line for line in out.getvalue().splitlines() if "q1" in line and GROWTH in line]
    assert "10.00" in line
    assert "0.62" in line
    assert "1.80" in line
    assert "missed" not in line
    (line,) = [line for line in out.getvalue().splitlines() if "q1" in line and "sf1" in line]
    assert "1.68 missed" in line


def test_a_single_way_has_no_ratio_and_one_size_no_growth() -> None:
    runs = [run for run in made_up_cluster.document()["runs"] if run["way"] == ONE_CORE and run["data"] == "sf1"]
    found = rows(runs)
    assert [row["data"] for row in found] == ["sf1", "sf1"]
    assert all(ratio is None for row in found for ratio in row["ratios"].values())

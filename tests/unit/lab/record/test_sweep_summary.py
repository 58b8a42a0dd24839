"""A sweep's table: one row for each workload and configuration, with its speed-up over the serial engine."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.cli.bench.bench_progress import rough
from streambench.lab.measure.sweep.repeat_command import repeat_command
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.sweep_summary import MOST_ROWS, rows
from streambench.lab.show.sweep_table import table

MICRO = {
    "operators": [{"kind": "ps", "cost_us": 50.0, "selectivity": 1.0, "state_size": 16}],
    **{"tuples": 100, "tuple_size": 16, "keys": "normal", "sigma": 0.1, "exponent": 1.0, "key_space": 10, "seed": 1},
}


def run(
    throughput: float | None, repeat: int = 0, micro: dict[str, Any] | None = None, **options: Any
) -> dict[str, Any]:
    chosen = settle(Options(**{"workers": 1, "engine": "schemes", "unit": 1024, **options})).to_dict()
    latency = {"mean": 2.0, "p50": 1.0, "p90": 1.0, "p99": 4.0, "p999": 5.0, "max": 6.0}
    return {
        "query": "q1" if micro is None else "ps",
        "micro": micro,
        **{name: chosen[name] for name in CONFIGURATION},
        **{"repeat": repeat, "tuples": 100, "throughput": throughput, "latency": latency if throughput else None},
        **{"sequence_ok": throughput is not None, "answer_ok": throughput is not None},
    }


def drawn(runs: list[dict[str, Any]]) -> tuple[str, int]:
    made, hidden = table(rows(runs))
    console = Console(width=200)
    with console.capture() as captured:
        console.print(made)
    return captured.get(), hidden


def test_configurations_that_differ_in_any_option_have_rows_of_their_own() -> None:
    runs = [run(10.0, engine="serial"), run(20.0), run(30.0, heuristic="lp"), run(40.0, reorder="lock")]
    found = rows(runs)
    assert [row["throughput"] for row in found] == [10.0, 20.0, 30.0, 40.0]
    assert [row["ratio"]["median"] for row in found] == [1.0, 2.0, 3.0, 4.0]
    assert [(row["heuristic"], row["reorder"]) for row in found[1:]] == [
        ("ct", "nonblocking"),
        ("lp", "nonblocking"),
        ("ct", "lock"),
    ]
    assert found[1]["latency"]["mean"] == 2.0


def test_ratios_are_paired_by_repeat_within_one_workload() -> None:
    other = {**MICRO, "sigma": 1.0}
    runs = [run(10.0 * (1 + repeat), repeat, micro=MICRO, engine="serial") for repeat in range(3)]
    runs += [run(30.0 * (1 + repeat), repeat, micro=MICRO) for repeat in range(3)]
    runs += [run(1.0, repeat, micro=other, engine="serial") for repeat in range(3)]
    runs += [run(5.0, repeat, micro=other) for repeat in range(3)]
    found = {(row["micro"]["sigma"], row["engine"]): row["ratio"] for row in rows(runs)}
    assert found[0.1, "schemes"] == {"median": pytest.approx(3.0), "low": 3.0, "high": 3.0, "n": 3, "coverage": None}
    assert found[1.0, "schemes"]["median"] == pytest.approx(5.0)


def test_the_baseline_is_the_serial_engine_at_its_fastest_unit_size() -> None:
    runs = [run(10.0, engine="serial", unit=1), run(40.0, engine="serial", unit=64), run(20.0, unit=1)]
    assert rows(runs)[2]["ratio"]["median"] == pytest.approx(0.5)


def test_a_configuration_with_a_wrong_run_has_no_number() -> None:
    found = rows([run(10.0, engine="serial"), run(20.0), run(None, 1)])
    assert [row["verified"] for row in found] == [True, False]
    assert found[1]["throughput"] is found[1]["ratio"] is found[1]["latency"] is None
    text, _ = drawn([run(10.0, engine="serial"), run(20.0), run(None, 1)])
    assert "1 of 2 wrong" in text


def test_the_table_names_what_differs() -> None:
    runs = [run(10.0, engine="serial"), run(20.0), run(30.0, heuristic="lp"), run(40.0, reorder="lock", workers=2)]
    text, hidden = drawn([*runs, run(5.0, micro=MICRO, engine="serial")])
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if "│" in line]
    assert [line[:4] for line in lines] == [
        ["q1", "serial", "1", ""],
        ["", "schemes", "1", "ct"],
        ["", "schemes", "1", "lp"],
        ["", "schemes", "2", "lock"],
        ["ps, 50 µs, normal 0.1", "serial", "1", ""],
    ]
    assert hidden == 0
    assert "partitions" not in text  # they follow from the workers


def test_a_long_table_shows_the_most_workers_only() -> None:
    runs = [run(10.0, engine="serial"), *(run(20.0, workers=count) for count in range(1, MOST_ROWS + 1))]
    text, hidden = drawn(runs)
    assert hidden == MOST_ROWS - 1
    assert f" {MOST_ROWS} " in text


def test_the_command_that_repeats_a_run_names_all_that_matters() -> None:
    command = repeat_command(
        run(None, micro=MICRO, heuristic="qst", capacity=7, unit=4, fuse=False, routing="in-order")
    )
    for words in (
        "--micro ps:50:1",
        "--keys normal",
        "--sigmas 0.1",
        "--heuristics qst",
        "--routings in-order",
        "--capacities 7",
        "--credits ",
    ):
        assert words in command
    assert command.endswith("--no-fuse --units 4")
    assert repeat_command(run(None, engine="serial"), ["--data", "my data"]) == (
        "streambench bench sweep --queries q1 --data 'my data' --engines serial --units 1024"
    )


@pytest.mark.parametrize(("seconds", "text"), [(0.0, "1 s"), (89.0, "89 s"), (600.0, "10 min"), (9000.0, "2.5 h")])
def test_lengths_of_time_are_rough(seconds: float, text: str) -> None:
    assert rough(seconds) == text

"""The table of the simulator's error has each engine by itself, by what it has."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from streambench.lab.record.validation_summary import rows
from streambench.lab.show.validation_table import disturbed, markdown, terminal


def run(**settings: Any) -> dict[str, Any]:
    """A comparison that is 10 % off, as the record says it."""
    numbers = {"measured_throughput": [100.0, 100.0], "measured_latency": [1.0, 1.0]}
    numbers |= {"simulated_throughput": 110.0, "simulated_latency": 2.0}
    return {"sequence_ok": True, "disturbed": False, **numbers, **settings}


def test_each_engine_stands_by_itself() -> None:
    made = [
        run(query="q1", engine="schemes", workers=1, unit=1, plan="auto", heuristic="ct", reorder="lock"),
        run(query="q1", engine="ordered", workers=2, unit=None, plan="auto"),
    ]
    machine = {"cpu": {"model": "AMD EPYC", "allowed": [0, 1], "hypervisor": "none"}}
    document: dict[str, Any] = {
        "summary": rows(made),
        "parameters": {"cases": 2, "of": 9, "seconds": 0.25},
        "version": "0",
        "git": None,
    }
    document |= {"created": "2026-11-24", "machine": machine}
    text = markdown(document, "example-validate.json")
    head = "2 configurations drawn from all 9, runs of about 0.25 s (`example-validate.json`)."
    assert any(line.endswith(head) for line in text.splitlines())
    of_data = {**document["parameters"], "data": "sf0.1-30d", "scale_factor": 0.1}
    assert "all 9 over `sf0.1-30d` (scale factor 0.1), runs" in markdown({**document, "parameters": of_data}, "")
    own = {**document["parameters"], "data": "mine"}
    assert "all 9 over `mine`, runs" in markdown({**document, "parameters": own}, "")
    for line in (
        "| schemes | 1 | 10% | 10% | 100% |",
        "| schemes, heuristic ct | 1 | 10% | 10% | 100% |",
        "| ordered, plan auto | 1 | 10% | 10% | 100% |",
        "| q1 2 | plan auto, unit chosen | 100/s | +10% | 1.00 s | +100% | no |",
    ):
        assert line in text.splitlines(), line
    assert "schemes, plan auto" not in text


def shown(made: list[dict[str, Any]]) -> str:
    console = Console(width=150)
    with console.capture() as printed:
        for table in terminal(rows(made)):
            console.print(table)
    return "\n".join(line.rstrip() for line in printed.get().splitlines())


def test_the_terminal_has_the_worst_ten_of_those_that_miss_and_their_number() -> None:
    made = [
        run(query="q1", engine="ordered", workers=2, unit=place, plan="cut", simulated_throughput=120.0 + place)
        for place in range(1, 13)
    ]
    text = shown(made)
    assert "off by more than the median may be: 12, of which the worst 10\n" in text
    assert [f"q1 2, {place} " in text for place in range(1, 13)] == [False, False] + 10 * [True]
    assert text.index("q1 2, 12 ") < text.index("q1 2, 11 ") < text.index("q1 2, 3 ")
    assert "+32%" in text
    assert "off by more than the median may be: 1\n" in shown(made[:1])
    assert "off by more than the median may be: 0\n" in shown([])


def test_comparisons_during_which_the_host_moved_the_cores_are_told_apart() -> None:
    made = [
        run(query="q3", engine="schemes", workers=2, unit=1, stayed=True),
        run(query="q3", engine="schemes", workers=2, unit=2, stayed=False, simulated_throughput=300.0),
        run(query="q3", engine="schemes", workers=2, unit=3, disturbed=True, stayed=False),
    ]
    told = disturbed(rows(made))
    assert told.startswith("1 of 3 were disturbed by other processes, and during 2 the host moved the cores; of the 1 ")
    assert "throughput is off by 10% in the median and 10% at worst" in told
    text = shown(made)
    assert "no, moved" in text
    assert "yes, moved" in text
    assert "moved" not in disturbed(rows([run(query="q3", engine="schemes", workers=1, unit=1)]))


def test_what_is_by_range_is_called_so() -> None:
    made = [
        run(
            query="q1", engine="schemes", workers=2, unit=1, heuristic="ct", partition_by=by, simulated_throughput=150.0
        )
        for by in ("hash", "range")
    ]
    assert "ct None None, by range" in shown(made)
    assert "schemes, keys by range" in shown(made)
    assert "keys by" not in shown(made[:1])

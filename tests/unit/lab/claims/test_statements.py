"""What the paper says of 8, 12 and 16 cores follows from the simulated numbers alone, whichever way they lie."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from made_up_simulation import as_the_paper_says, simulation
from made_up_sweep import Run, document, whole

from streambench.errors import StreambenchError
from streambench.lab.claims import statements_table as shown
from streambench.lab.claims.claim import Outcome
from streambench.lab.claims.statements import STATEMENTS, judge_statements
from streambench.lab.show.marked_block import with_block

Change = Callable[[Run], bool]


def outcomes(made: list[Run]) -> list[Outcome]:
    return [verdict.outcome for _, verdict in judge_statements(simulation(made, costs="paper"))]


def changed(where: Change, factor: float, name: str = "throughput") -> list[Run]:
    made = as_the_paper_says()
    for run in made:
        if run["engine"] == "schemes" and where(run):
            if name == "latency":
                run["latency"] = {**run["latency"], "mean": run["latency"]["mean"] * factor}
            else:
                run[name] *= factor
    return made


def test_all_hold_by_numbers_that_are_as_the_paper_says() -> None:
    assert outcomes(as_the_paper_says()) == [Outcome.HOLDS] * len(STATEMENTS)


@pytest.mark.parametrize(
    ("number", "made"),
    [
        (0, changed(lambda run: run["query"] == "q15" and run["workers"] == 12, 0.5)),
        (1, changed(lambda run: run["query"] == "q3" and run["workers"] == 12, 1.5)),
        (2, changed(lambda run: run["query"] == "q2", 0.5)),
        (3, changed(lambda run: run["query"] == "q1" and run["heuristic"] == "lp", 0.8)),
        (4, changed(lambda run: run["query"] == "q4" and run["heuristic"] == "lp", 1.5)),
        (5, changed(lambda run: run["query"] == "q4" and run["heuristic"] == "qst", 4.0)),
        (6, changed(lambda run: run["query"] == "q4" and run["heuristic"] == "ct", 0.1, "latency")),
        (7, changed(lambda run: run["partitioning"] == "hybrid" and (run["micro"] or {}).get("sigma") == 0.1, 0.5)),
        (
            8,
            changed(lambda run: run["partitioning"] == "partitioned" and (run["micro"] or {}).get("sigma") == 0.1, 3.0),
        ),
        (9, changed(lambda run: run["query"] == "sl" and run["reorder"] == "lock", 2.0)),
        (10, changed(lambda run: run["query"] == "sl-ps" and run["reorder"] == "lock", 2.0)),
        (11, changed(lambda run: run["query"] == "q2" and run["reorder"] == "lock", 2.0)),
    ],
)
def test_each_fails_by_numbers_against_it(number: int, made: list[Run]) -> None:
    assert outcomes(made)[number] is Outcome.FAILS


def test_what_was_not_simulated_cannot_be_told() -> None:
    made = [run for run in as_the_paper_says() if run["query"] == "q1"]
    found = judge_statements(simulation(made, costs="paper"))
    assert {verdict.outcome for _, verdict in found[4:5] + found[7:]} == {Outcome.OPEN}
    assert "not simulated" in found[7][1].why


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (document(whole(2)), "by a result of `streambench bench sweep --simulated`"),
        (simulation(as_the_paper_says()[:12]), "--costs-of paper"),
    ],
)
def test_only_a_simulation_at_the_papers_costs_is_judged(given: dict[str, object], why: str) -> None:
    with pytest.raises(StreambenchError, match=why):
        judge_statements(given)


def test_a_page_gets_the_table_between_its_marks_and_nothing_else_is_changed(tmp_path: Path) -> None:
    found = simulation(as_the_paper_says(), costs="paper")
    text = shown.page(found, judge_statements(found))
    assert "Of 12 statements: 12 holds." in text
    assert "as the paper's text gives them" in text
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- statements: begin -->\nold\n<!-- statements: end -->\nafter\n")
    once = with_block(page, shown.MARK, text)
    assert once == f"before\n<!-- statements: begin -->\n{text}<!-- statements: end -->\nafter\n"
    page.write_text(once)
    assert with_block(page, shown.MARK, text) == once
    page.write_text("no marks\n")
    with pytest.raises(StreambenchError, match="needs the lines"):
        with_block(page, shown.MARK, text)
    with pytest.raises(StreambenchError, match="there is no page"):
        with_block(tmp_path / "other.md", shown.MARK, text)

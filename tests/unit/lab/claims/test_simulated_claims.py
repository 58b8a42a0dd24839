"""What is simulated has a column of its own: no verdict by what was measured depends on it, nor the other way round."""

from __future__ import annotations

from made_up_simulation import as_the_paper_says, simulation
from made_up_sweep import document, paced, whole
from rich.console import Console

from streambench.lab import claims
from streambench.lab.claims.claim import Outcome
from streambench.lab.claims.table import Side, markdown, plain, terminal


def sides(slower_lock: float = 1.0) -> tuple[Side, Side]:
    """All holds by what was measured; simulated, locks are ``slower_lock`` times as fast as they were."""
    made = as_the_paper_says()
    for run in made:
        if run["reorder"] == "lock":
            run["throughput"] *= slower_lock
    here, simulated = document(whole(16) + paced(16), 16), simulation(made)
    return Side(here, *claims.judge(here)), Side(simulated, *claims.judge(simulated))


def test_the_columns_are_two_verdicts() -> None:
    here, simulated = sides(slower_lock=3.0)
    found = plain(here, simulated)["claims"]
    assert {each["verdict"] for each in found} == {"holds"}
    assert [each["number"] for each in found if each["simulated"]["verdict"] == "does not hold"] == [7, 8, 9]
    alone = plain(here)["claims"]
    assert [each["verdict"] for each in alone] == [each["verdict"] for each in found]
    assert {each["simulated"] for each in alone if each["simulated"] is None} == {None}


def test_both_are_named_wherever_they_are_shown() -> None:
    here, simulated = sides(slower_lock=3.0)
    console = Console(width=100, record=True, quiet=False)
    with console.capture() as shown:
        console.print(terminal(here, simulated))
    text = shown.get()
    assert max(map(len, text.splitlines())) <= 100
    assert "what was simulated, to 16 cores: not measured" in text
    assert "simulated: not so" in text
    lines = markdown(here, simulated).splitlines()
    assert lines[0].count("simulated") == 2
    assert all(line.count("|") - line.count("\\|") == lines[0].count("|") for line in lines[:12])
    assert "**holds** |" in lines[8]
    assert "**does not hold**" in lines[8]


def test_beyond_the_papers_16_cores_nothing_is_judged() -> None:
    made = as_the_paper_says()
    for run in made:
        if run["workers"] == 128:
            run["throughput"] *= 100 if run["reorder"] == "lock" else 1
    found = simulation(made)
    _, judged = claims.judge(found)
    assert judged[8][1].outcome is Outcome.HOLDS
    assert {each.at for each in judged[6][1].evidence} == {"16"}


def test_what_was_not_simulated_is_told_with_the_command_that_simulates_it() -> None:
    found = simulation([run for run in as_the_paper_says() if run["query"] == "q1"])
    _, judged = claims.judge(found)
    assert judged[3][1].outcome is Outcome.OPEN
    assert (
        judged[3][1].why
        == "not simulated, or for less than 20 of the scheduler's windows; `streambench bench sweep --simulated "
        "--preset paper --figures 9` simulates it"
    )

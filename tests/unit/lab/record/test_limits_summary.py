"""A row of limits names what is taken most, and all that saturates."""

from __future__ import annotations

from typing import Any

from streambench.lab.record.limits_summary import rows


def run(**parts: float) -> dict[str, Any]:
    named = {name.replace("_", " "): part for name, part in parts.items()}
    taken = {"the lock of admission": 0.2, "lines between cores, mostly of turn": 0.25, **named}
    shares = {"part": "`ordered`", "cores": 64, "busy": 0.5, "waited": 0.25, "idle": 0.25, "credit_times": 4}
    return {**shares, "throughput": 2e6, "throughput_with_more_credit": 3e6, "parts": taken}


def test_all_that_saturates_is_named_the_most_first() -> None:
    (row,) = rows([run(the_cores=0.91, a_turn_at_sink=0.97, memory=0.89)])
    assert list(row["most"].items()) == [("a turn at sink", 0.97), ("the cores", 0.91)]


def test_where_nothing_saturates_that_is_named_which_is_taken_most() -> None:
    (row,) = rows([run(the_cores=0.5, memory=0.7, a_line_of_admission=0.1)])
    assert row["most"] == {"memory": 0.7}
    assert (row["lock"], row["lines"], row["gain"]) == (0.2, 0.1, 0.5)

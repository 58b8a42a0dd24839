"""A gate's verdict as it is shown."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from streambench.lab.gate.gate import GateResult, Outcome
from streambench.lab.show.gate import terminal


@pytest.mark.parametrize("problem", ["q1: the new side: see [/tmp/log]", "q1: [red]row 3[/red] differs"])
def test_brackets_in_a_reason_are_shown_as_they_are(problem: str) -> None:
    parameters = {"base": "0" * 40, "new": "1" * 40, "counting": False}
    found = GateResult(Outcome.WRONG, [], problem, [], {"parameters": parameters})
    out = io.StringIO()
    Console(file=out, width=200).print(terminal(found))
    assert f"Wrong answer: {problem}." in " ".join(out.getvalue().split())

"""A gate's verdicts for a terminal, as Markdown, and for a program."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from streambench.lab.gate.decision import Verdict
from streambench.lab.gate.gate import GateResult, Outcome
from streambench.lab.gate.session import MORE_IS_BETTER, Judged
from streambench.lab.record.interval_text import written
from streambench.lab.record.summary import duration, human
from streambench.lab.show.table import Cell, Column, Layout, number

COLOURS = {Verdict.PASS: "green", Verdict.REGRESSED: "red", Verdict.OPEN: "yellow"}
WORDS = {
    Outcome.PASS: "passed",
    Outcome.REGRESSED: "regressed",
    Outcome.INCONCLUSIVE: "cannot tell: give it a longer --budget or a quieter machine",
    Outcome.WRONG: "wrong answer",
}


def terminal(decision: GateResult) -> Table:
    """A line for each metric of each workload."""
    how = {"caption": Text(caption(decision)), "caption_justify": "left"}
    return LAYOUT.terminal(decision.rows, markup=False, box=box.SIMPLE_HEAD, **how)


def markdown(decision: GateResult) -> str:
    """The same as a comment on a pull request."""
    lines = [f"### streambench gate: {WORDS[decision.outcome]}", "", *LAYOUT.markdown(decision.rows)]
    return "\n".join([*lines, "", caption(decision), ""])


def plain(decision: GateResult) -> dict[str, Any]:
    """The same as values that JSON can hold."""
    kept = ("outcome", "problem", "verdicts", "parameters", "warnings")
    about = {name: decision.document[name] for name in kept}
    return {**about, "exit_code": int(decision.outcome), "left_out": decision.left_out}


def caption(decision: GateResult) -> str:
    """The outcome, the commits, and how far to trust it."""
    parameters = decision.document["parameters"]
    sentence = f"{WORDS[decision.outcome]}{': ' + decision.problem.rstrip('.') if decision.problem else ''}."
    parts = [sentence[:1].upper() + sentence[1:]]
    parts.append(f"Base {parameters['base'][:12]}, new {parameters['new'][:12]}.")
    if widened := [f"{row.query} {row.metric}" for row in decision.rows if row.limit > row.usual_limit]:
        parts.append(f"Wider limits, as the base differs so much from itself: {', '.join(widened)}.")
    if decision.left_out:
        parts.append(f"Left out: {'; '.join(decision.left_out)}.")
    if decision.rows and not parameters["counting"]:
        parts.append("Intervals cover all looks: 95 % that no regression here is a false alarm.")
    return " ".join(parts)


def _limit(row: Judged) -> str:
    sign = "\N{GREATER-THAN OR EQUAL TO}" if row.metric in MORE_IS_BETTER else "\N{LESS-THAN OR EQUAL TO}"
    return f"{sign} {row.as_ratio(row.limit):.3f}{' (wider)' if row.limit > row.usual_limit else ''}"


def _writer(metric: str) -> Callable[[float], str]:
    if metric in MORE_IS_BETTER:
        return lambda value: f"{human(value)}/s"
    return human if metric == "instructions" else duration


LAYOUT = Layout(
    "new to base",
    (
        Column("workload", attrgetter("query")),
        Column("metric", attrgetter("metric")),
        number("base", lambda row: _writer(row.metric)(row.base)),
        number("new", lambda row: _writer(row.metric)(row.new)),
        number("new to base", lambda row: written(row.ratio, "{:.3f}".format)),
        number("limit", _limit),
        number("pairs", attrgetter("worse.n")),
        Column("verdict", lambda row: Cell(str(row.verdict), tone=COLOURS[row.verdict])),
    ),
)

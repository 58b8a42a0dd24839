"""The paper's statements on 8, 12 and 16 cores with what the simulation says: for a terminal, a page, a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from streambench.lab.claims.claim import Outcome, Verdict
from streambench.lab.claims.statements import Statement
from streambench.lab.claims.table import COLOURS, bold, claimed, line, measured, of_document, of_verdict
from streambench.lab.figures.simulated import provenance
from streambench.lab.record.interval_text import heading

MARK = "statements"
NOTE = "<!-- what stands between these marks is written by `streambench simulate statements --page` -->"

Judged = Sequence[tuple[Statement, Verdict]]


def terminal(document: Mapping[str, Any], judged: Judged) -> Group:
    """For a terminal of 100 columns."""
    table = Table(box=box.SIMPLE_HEAD, title="what the paper says, simulated", title_justify="left", pad_edge=False)
    for name, width in (("statement", 34), ("simulated, not measured", 46), ("verdict", 14)):
        table.add_column(name, width=width)
    for statement, verdict in judged:
        text = Text(f"{statement.text} ({statement.source})")
        table.add_row(text, Text(_numbers(verdict, "\n")), Text(verdict.outcome, COLOURS[verdict.outcome]))
        table.add_section()
    return Group(table, Text(f"{counted(judged)} {provenance(document)}"))


def page(document: Mapping[str, Any], judged: Judged) -> str:
    """Between two marks of a page of the docs. The same document gives the same text."""
    numbers = (each.number for _, verdict in judged for each in verdict.evidence if each.number is not None)
    lines = [NOTE, "", f"{counted(judged)} {provenance(document)}", ""]
    lines += [f"| the paper says | {heading('simulated: median', numbers)} | verdict |", "| --- | --- | --- |"]
    for statement, verdict in judged:
        lines.append(line((f"{statement.text} ({statement.source})", _numbers(verdict, "; "), bold(verdict))))
    return "\n".join(lines) + "\n"


def plain(document: Mapping[str, Any], judged: Judged) -> dict[str, Any]:
    """The same as plain values."""
    content = of_document(document)
    parameters = content.pop("parameters")
    statements = [{"text": each.text, "source": each.source, **of_verdict(verdict)} for each, verdict in judged]
    return {**content, "simulated": True, "parameters": parameters, "statements": statements}


def counted(judged: Judged) -> str:
    """How many came out how."""
    counts = {each: sum(verdict.outcome is each for _, verdict in judged) for each in Outcome}
    counts_in_words = [f"{count} {name}" for name, count in counts.items() if count]
    return f"Of {len(judged)} statements: {', '.join(counts_in_words)}."


def _numbers(verdict: Verdict, between: str) -> str:
    return between.join(f"{each.subject}: {measured(each)} ({claimed(each)})" for each in verdict.evidence)

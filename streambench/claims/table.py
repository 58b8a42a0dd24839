"""Verdicts for a terminal, for a program, and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from streambench.claims.claim import Claim, Evidence, Outcome, Verdict
from streambench.figures.caption import DERIVED, origin
from streambench.figures.paper import in_words
from streambench.figures.selection import Mode
from streambench.record.interval_text import heading, written
from streambench.record.statistics import Interval

Judged = Sequence[tuple[Claim, Verdict]]

SECONDS = ((1.0, " s"), (1e-3, " ms"), (1e-6, " µs"), (0.0, " s"))
COUNTS = ((1e6, " M/s"), (1e3, " k/s"), (0.0, " /s"))
COLOURS = {Outcome.HOLDS: "green", Outcome.FAILS: "red", Outcome.OPEN: "yellow"}


def terminal(document: Mapping[str, Any], mode: Mode, judged: Judged) -> Group:
    """The evidence, then a line for each claim; fits 100 columns."""
    evidence = Table(box=box.SIMPLE_HEAD, title="what was measured", title_justify="left", padding=(0, 1, 0, 0))
    for name in ("", "number"):
        evidence.add_column(name, no_wrap=True)
    for name in (heading("median", _numbers(judged)), "claimed"):
        evidence.add_column(name, justify="right", no_wrap=True)
    for name in ("workers", ""):
        evidence.add_column(name, no_wrap=True)
    for claim, verdict in judged:
        for place, each in enumerate(verdict.evidence):
            number = "" if place else str(claim.number)
            evidence.add_row(number, each.subject, measured(each), claimed(each), each.at, _word(each))
        if verdict.evidence:
            evidence.add_section()
    verdicts = Table(box=box.SIMPLE_HEAD, title="the paper's claims", title_justify="left", pad_edge=False)
    for name, width in (("", 2), ("claim", 42), ("verdict", 14), ("why", 32)):
        verdicts.add_column(name, width=width)
    for claim, verdict in judged:
        text = Text(f"{claim.text} ({claim.source})")
        verdicts.add_row(str(claim.number), text, Text(verdict.outcome, COLOURS[verdict.outcome]), Text(verdict.why))
        verdicts.add_section()
    return Group(evidence, verdicts, Text(f"{origin(document)} {in_words(mode)} {DERIVED}"))


def markdown(document: Mapping[str, Any], mode: Mode, judged: Judged) -> str:
    """A table with a line for each claim."""
    above = heading("measured: median", _numbers(judged))
    lines = [f"| | claim | {above} | verdict |", "| --- | --- | --- | --- |"]
    for claim, verdict in judged:
        told = [
            f"{each.subject} {measured(each)}{_where(each)}" for each in verdict.evidence if each.number is not None
        ]
        why = f": {verdict.why}" if verdict.why else ""
        cells = (str(claim.number), f"{claim.text} ({claim.source})", "; ".join(told), f"**{verdict.outcome}**{why}")
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join([*lines, "", f"{origin(document)} {in_words(mode)} {DERIVED}", ""])


def plain(document: Mapping[str, Any], mode: Mode, judged: Judged) -> dict[str, Any]:
    """The same as plain values; what is not finite is None."""
    return {
        **{name: document.get(name) for name in ("created", "version", "git", "machine", "parameters")},
        **mode._asdict(),
        "claims": [
            {
                **{name: getattr(claim, name) for name in ("number", "text", "source", "figure")},
                "verdict": str(verdict.outcome),
                "why": verdict.why,
                "evidence": [_plain(each) for each in verdict.evidence],
            }
            for claim, verdict in judged
        ],
    }


def measured(evidence: Evidence) -> str:
    """ "1.84 [1.79, 1.90]" or "1.84 (1.79 to 1.90)", in the evidence's unit; "-" where nothing was measured."""
    number = evidence.number
    if number is None:
        return "-"
    scale, unit = _scale(number.median, evidence.unit)
    return f"{written(number, lambda value: _short(value / scale))}{unit}"


def claimed(evidence: Evidence) -> str:
    """The claimed range: "> 1", "< 10 ms", "1 to 2"; "-" for what is no part of the claim."""
    if not evidence.counts:
        return "-"
    ends = [value for value in (evidence.low, evidence.high) if math.isfinite(value)]
    scale, unit = _scale(ends[0], evidence.unit)
    sign = "" if len(ends) == 2 else "> " if math.isfinite(evidence.low) else "< "
    return f"{sign}{' to '.join(f'{value / scale:g}' for value in ends)}{unit}"


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _scale(value: float, unit: str) -> tuple[float, str]:
    """What to divide by, and the unit that is left; a ratio has none."""
    scales = {"s": SECONDS, "tuples/s": COUNTS}.get(unit, ((0.0, ""),))
    return next(((scale or 1.0, name) for scale, name in scales if value >= scale), (1.0, f" {unit}"))


def _word(evidence: Evidence) -> Text:
    """What the number says of its part of the claim; what is no part is only shown."""
    if not evidence.counts:
        return Text("shown", "dim")
    return Text("not measured" if evidence.number is None else evidence.outcome, COLOURS[evidence.outcome])


def _numbers(judged: Judged) -> Iterator[Interval]:
    return (each.number for _, verdict in judged for each in verdict.evidence if each.number is not None)


def _where(evidence: Evidence) -> str:
    return f" (workers: {evidence.at})" if evidence.at else ""


def _plain(evidence: Evidence) -> dict[str, Any]:
    number = evidence.number
    values = dict.fromkeys(("median", "low", "high", "coverage")) if number is None else number.plain()
    return {
        "subject": evidence.subject,
        **{name: values[name] for name in ("median", "low", "high", "coverage")},
        "repeats": 0 if number is None else number.n,
        "unit": evidence.unit,
        "claimed": {"above": _finite(evidence.low), "below": _finite(evidence.high)},
        "at": evidence.at,
        "part_of_claim": evidence.counts,
        "verdict": str(evidence.outcome) if evidence.counts else None,
        "why": evidence.why if evidence.counts else "",
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

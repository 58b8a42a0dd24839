"""Verdicts for a terminal, for a program, and as Markdown.

There are two columns: by what was measured here, and by what was simulated. They are never one verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from streambench.lab.claims.claim import Claim, Evidence, Outcome, Verdict
from streambench.lab.figures.caption import DERIVED, origin
from streambench.lab.figures.paper import in_words
from streambench.lab.figures.selection import Mode
from streambench.lab.figures.simulated import PAPER_CORES, provenance
from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.statistics import Interval

SECONDS = ((1.0, " s"), (1e-3, " ms"), (1e-6, " µs"), (0.0, " s"))
COUNTS = ((1e6, " M/s"), (1e3, " k/s"), (0.0, " /s"))
COLOURS = {Outcome.HOLDS: "green", Outcome.FAILS: "red", Outcome.OPEN: "yellow"}

Judged = Sequence[tuple[Claim, Verdict]]


class Side(NamedTuple):
    """A document, measured or simulated, the mode that it was judged in, and the verdicts."""

    document: Mapping[str, Any]
    mode: Mode
    judged: Judged

    def verdict(self, claim: Claim) -> Verdict:
        """Of a claim."""
        return next(verdict for each, verdict in self.judged if each.number == claim.number)


def terminal(here: Side, simulated: Side | None = None) -> Group:
    """The evidence of each side, then a line for each claim with both verdicts; fits 100 columns."""
    shown: list[RenderableType] = [_evidence("what was measured", here.judged, "not measured")]
    if simulated is not None:
        cores = min(PAPER_CORES, max(simulated.document["parameters"]["simulated_cores"]))
        shown.append(
            _evidence(f"what was simulated, to {cores} cores: not measured", simulated.judged, "not simulated")
        )
    verdicts = Table(box=box.SIMPLE_HEAD, title="the paper's claims", title_justify="left", pad_edge=False)
    for name, width in (("", 2), ("claim", 29), ("here", 14), ("simulated", 14), ("why", 28)):
        verdicts.add_column(name, width=width)
    for claim, verdict in here.judged:
        other = None if simulated is None else simulated.verdict(claim)
        text = Text(f"{claim.text} ({claim.source})")
        verdicts.add_row(str(claim.number), text, _outcome(verdict), _outcome(other), Text(_why(verdict, other)))
        verdicts.add_section()
    origins = [Text(f"{origin(here.document)} {in_words(here.mode)} {DERIVED}")]
    origins += [] if simulated is None else [Text(f"{provenance(simulated.document)} {in_words(simulated.mode)}")]
    return Group(*shown, verdicts, *origins)


def markdown(here: Side, simulated: Side | None = None) -> str:
    """A table with a line for each claim."""
    heads = [f"{heading('measured: median', _numbers(here.judged))}", "here"]
    heads += [] if simulated is None else [heading("simulated: median", _numbers(simulated.judged))]
    heads += ["simulated"]
    lines = [f"| | claim | {' | '.join(heads)} |", "| --- " * (2 + len(heads)) + "|"]
    for claim, verdict in here.judged:
        cells = [str(claim.number), f"{claim.text} ({claim.source})", _numbers_of(verdict), bold(verdict)]
        if simulated is None:
            cells.append("-")
        else:
            cells += [_numbers_of(simulated.verdict(claim)), bold(simulated.verdict(claim))]
        lines.append(line(cells))
    origins = [f"{origin(here.document)} {in_words(here.mode)} {DERIVED}"]
    origins += [] if simulated is None else [f"{provenance(simulated.document)} {in_words(simulated.mode)}"]
    return "\n".join([*lines, "", *origins, ""])


def plain(here: Side, simulated: Side | None = None) -> dict[str, Any]:
    """The same as plain values; what is not finite is None. Of a claim ``verdict``, ``why`` and ``evidence`` are by
    what was measured; ``simulated`` has the same by what was not."""
    return {
        **of_document(here.document),
        **here.mode._asdict(),
        "simulated": None if simulated is None else {**of_document(simulated.document), **simulated.mode._asdict()},
        "claims": [
            {
                **{name: getattr(claim, name) for name in ("number", "text", "source", "figure")},
                **of_verdict(verdict),
                "simulated": None if simulated is None else of_verdict(simulated.verdict(claim)),
            }
            for claim, verdict in here.judged
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
    """The claimed range: "> 1", "< 10 ms", "1-2"; "-" for what is no part of the claim."""
    if not evidence.counts:
        return "-"
    ends = [value for value in (evidence.low, evidence.high) if math.isfinite(value)]
    scale, unit = _scale(ends[0], evidence.unit)
    sign = "" if len(ends) == 2 else "> " if math.isfinite(evidence.low) else "< "
    return f"{sign}{'-'.join(f'{value / scale:g}' for value in ends)}{unit}"


def line(cells: Sequence[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _scale(value: float, unit: str) -> tuple[float, str]:
    """What to divide by, and the unit that is left; a ratio has none."""
    scales = {"s": SECONDS, "tuples/s": COUNTS}.get(unit, ((0.0, ""),))
    return next(((scale or 1.0, name) for scale, name in scales if value >= scale), (1.0, f" {unit}"))


def _evidence(title: str, judged: Judged, missing: str) -> Table:
    evidence = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", padding=(0, 1, 0, 0))
    for name in ("", "number"):
        evidence.add_column(name, no_wrap=True)
    for name in (heading("median", _numbers(judged)), "claimed"):
        evidence.add_column(name, justify="right", no_wrap=True)
    for name in ("workers", ""):
        evidence.add_column(name, no_wrap=True)
    for claim, verdict in judged:
        for place, each in enumerate(verdict.evidence):
            number = "" if place else str(claim.number)
            evidence.add_row(number, each.subject, measured(each), claimed(each), each.at, _word(each, missing))
        if verdict.evidence:
            evidence.add_section()
    return evidence


def _outcome(verdict: Verdict | None) -> Text:
    return Text("-", "dim") if verdict is None else Text(verdict.outcome, COLOURS[verdict.outcome])


def _why(here: Verdict, simulated: Verdict | None) -> str:
    """Why of each column that has a reason."""
    if simulated is None:
        return here.why
    reasons = (("here", here.why), ("simulated", simulated.why))
    return "; ".join(f"{name}: {why}" for name, why in reasons if why)


def _numbers_of(verdict: Verdict) -> str:
    return "; ".join(f"{each.subject} {measured(each)}{_where(each)}" for each in verdict.evidence if each.number)


def bold(verdict: Verdict) -> str:
    return f"**{verdict.outcome}**{f': {verdict.why}' if verdict.why else ''}"


def of_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """When and with what it was measured or simulated; its profiles are in the result."""
    about = {name: document.get(name) for name in ("created", "version", "git", "machine")}
    return {**about, "parameters": {name: each for name, each in document["parameters"].items() if name != "profiles"}}


def of_verdict(verdict: Verdict) -> dict[str, Any]:
    evidence = [_evidence_plain(each) for each in verdict.evidence]
    return {"verdict": str(verdict.outcome), "why": verdict.why, "evidence": evidence}


def _word(evidence: Evidence, missing: str) -> Text:
    """What the number says of its part of the claim; what is no part is only shown."""
    if not evidence.counts:
        return Text("shown", "dim")
    return Text(missing if evidence.number is None else evidence.outcome, COLOURS[evidence.outcome])


def _numbers(judged: Judged) -> Iterator[Interval]:
    return (each.number for _, verdict in judged for each in verdict.evidence if each.number is not None)


def _where(evidence: Evidence) -> str:
    return f" (workers: {evidence.at})" if evidence.at else ""


def _evidence_plain(evidence: Evidence) -> dict[str, Any]:
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

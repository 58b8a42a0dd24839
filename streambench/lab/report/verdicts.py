"""What each result says in one line, and against one thread: faster, slower, or it cannot be told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.claims import judge
from streambench.lab.claims.claim import Outcome
from streambench.lab.compare.comparison import Verdict
from streambench.lab.host.machine import title as machine_title
from streambench.lab.record import gate_summary, simulation_summary
from streambench.lab.record.perf_summary import verdict as targets_met
from streambench.lab.record.run import Plain, Run
from streambench.lab.record.statistics import Interval
from streambench.lab.record.summary import SERIAL, duration, human
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import RUN, NamedDocument, of_kind
from streambench.lab.report.section import BAD, GOOD, OPEN, Block, Table
from streambench.lab.report.tables import TONES
from streambench.lab.show.table import Cell, Column, number, words
from streambench.lab.show.tables import to_serial, two_decimals

AGAINST_SERIAL = (
    "Throughput against the engine serial, which runs the same operators in one thread: faster or slower where the "
    "whole interval lies on one side of 1."
)


def blocks(documents: Sequence[NamedDocument], _: Drawing) -> Iterator[Block]:
    """A line for each result; of benches a table of verdicts."""
    yield Block("", (), (), (Table.of("What was given", GIVEN, documents),))
    for each in of_kind(documents, "bench"):
        yield Block(each.title, (AGAINST_SERIAL,), (), (Table.of("Verdicts", VERDICTS, at_full_speed(each)),))


def against_serial(row: Plain) -> Verdict:
    """What the ratio of a summary's row says."""
    if not row["verified"]:
        return Verdict.WRONG
    if row["ratio"] is None or row["ratio"]["coverage"] is None:
        return Verdict.OPEN
    ratio = Interval.of(row["ratio"])
    if ratio.low <= 1 <= ratio.high:
        return Verdict.OPEN
    return Verdict.FASTER if ratio.low > 1 else Verdict.SLOWER


def at_full_speed(named: NamedDocument) -> list[dict[str, Any]]:
    """The rows of a bench's summary that no rate slowed."""
    return [row for row in named.document["summary"] if not row.get("rate")]


def in_short(named: NamedDocument) -> tuple[str, str]:
    """One line, and how it is coloured."""
    if named.kind == RUN:
        if False in (named.document["sequence_ok"], named.document["answer_ok"]):
            return "wrong answer", BAD
        return f"{human(named.document['throughput'])} tuples/s", ""
    if named.kind == "perf":
        return targets_met(named.document["summary"]), ""
    runs = named.document["runs"]
    if named.kind == gate_summary.PROOF:
        expected = sum(run["verified"] for run in runs)
        return f"{expected} of {len(runs)} gates ended as they should", GOOD if expected == len(runs) else BAD
    wrong = sum(Run(run).right is False for run in runs)
    if wrong:
        return f"{wrong} of {len(runs)} runs gave a wrong answer: they have no number", BAD
    if named.kind == "bench":
        verdicts = [against_serial(row) for row in at_full_speed(named) if row["engine"] != SERIAL]
        return f"against serial: {_counted(verdicts)}", ""
    if named.kind == gate_summary.KIND:
        return str(named.document["outcome"]), {"pass": GOOD, "regressed": BAD, "wrong": BAD}.get(
            named.document["outcome"], OPEN
        )
    if named.kind in ("sweep", simulation_summary.KIND):
        try:
            _, judged = judge(named.document)
        except StreambenchError:  # own pipelines alone, or another engine
            return _checked(runs), ""
        counts = {each: sum(verdict.outcome is each for _, verdict in judged) for each in Outcome}
        return f"claims{'' if named.kind == 'sweep' else ', simulated'}: " + ", ".join(
            f"{count} {name}" for name, count in counts.items() if count
        ), ""
    return _checked(runs), ""


def _checked(runs: Sequence[Plain]) -> str:
    """Of runs of which none is wrong."""
    if not runs:
        return "no runs"
    unchecked = sum(Run(run).right is None for run in runs)
    return f"{unchecked} of {len(runs)} runs were not checked" if unchecked else "every run right"


def _counted(verdicts: Sequence[Verdict]) -> str:
    counts = {each: verdicts.count(each) for each in Verdict}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing else was measured"


def _verdict(row: Plain) -> Cell:
    if not row["verified"]:
        return Cell(f"wrong: {row['wrong']} of {row['runs']} runs", tone=BAD)
    verdict = against_serial(row)
    return Cell("the base") if row["engine"] == SERIAL else Cell(str(verdict), tone=TONES[verdict])


def _in_short(named: NamedDocument) -> Cell:
    text, tone = in_short(named)
    return Cell(text, tone=tone)


GIVEN = (
    Column("result", attrgetter("title")),
    Column("what", attrgetter("kind")),
    Column("date", lambda each: str(each.document.get("created", ""))[:16].replace("T", " ")),
    Column("machine", lambda each: machine_title(each.document["machine"])),
    number("runs", lambda each: 1 if each.kind == RUN else len(each.document["runs"])),
    Column("in short", _in_short),
)
VERDICTS = (
    *words("query", "engine"),
    number("workers", "workers"),
    number("unit", lambda row: row["unit"] or None, none="chosen"),
    number("tuples/s", "throughput", human, wrong=""),
    number("ratio to serial", to_serial, two_decimals, wrong=""),
    *(number(name, f"latency.{name}", duration, wrong="") for name in ("p50", "p99")),
    Column("verdict", _verdict),
)

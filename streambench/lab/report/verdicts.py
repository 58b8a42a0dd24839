"""What each result says in one line, and against one thread: faster, slower, or it cannot be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.claims import judge
from streambench.lab.claims.claim import Outcome
from streambench.lab.compare.comparison import Verdict
from streambench.lab.host.machine import title as machine_title
from streambench.lab.record import gate_proof_summary, gate_summary, simulation_summary
from streambench.lab.record.interval_text import heading
from streambench.lab.record.perf_summary import verdict as targets_met
from streambench.lab.record.statistics import Interval
from streambench.lab.record.summary import SERIAL, duration, human, ratio_text, ratios, right
from streambench.lab.report.given import RUN, Given, of_kind
from streambench.lab.report.section import BAD, GOOD, OPEN, Block, Cell, Section, Table, words

Row = Mapping[str, Any]

TONES = {Verdict.FASTER: GOOD, Verdict.SLOWER: BAD, Verdict.OPEN: OPEN, Verdict.WRONG: BAD}
NUMBERS = ("workers", "unit", "tuples/s", "p50", "p99")


def section(given: Sequence[Given]) -> Section:
    """A line for each result; of benches a table of verdicts."""
    columns = ("result", "what", "date", "machine", "runs", "in short")
    blocks = [Block("", (), (), (Table("What was given", columns, [_line(each) for each in given], ("runs",)),))]
    for each in of_kind(given, "bench"):
        text = (
            "Throughput against the engine serial, which runs the same operators in one thread: faster or slower where "
            "the whole interval lies on one side of 1.",
        )
        blocks.append(Block(each.title, text, (), (_against_serial(each),)))
    return Section("summary", "Summary", blocks)


def against_serial(row: Row) -> Verdict:
    """What the ratio of a summary's row says."""
    if not row["verified"]:
        return Verdict.WRONG
    if row["ratio"] is None or row["ratio"]["coverage"] is None:
        return Verdict.OPEN
    found = Interval.of(row["ratio"])
    if found.low <= 1 <= found.high:
        return Verdict.OPEN
    return Verdict.FASTER if found.low > 1 else Verdict.SLOWER


def at_full_speed(given: Given) -> list[dict[str, Any]]:
    """The rows of a bench's summary that no rate slowed."""
    return [row for row in given.document["summary"] if not row.get("rate")]


def _line(given: Given) -> list[Cell]:
    document = given.document
    date = str(document.get("created", ""))[:16].replace("T", " ")
    runs = 1 if given.kind == RUN else len(document["runs"])
    told, tone = in_short(given)
    return [
        *words(given.title, given.kind, date, machine_title(document["machine"])),
        Cell(str(runs), runs),
        Cell(told, tone=tone),
    ]


def in_short(given: Given) -> tuple[str, str]:
    """One line, and how it is coloured."""
    if given.kind == RUN:
        if False in (given.document["sequence_ok"], given.document["answer_ok"]):
            return "wrong answer", BAD
        return f"{human(given.document['throughput'])} tuples/s", ""
    if given.kind == "perf":
        return targets_met(given.document["summary"]), ""
    runs = given.document["runs"]
    if given.kind == gate_proof_summary.KIND:
        expected = sum(run["verified"] for run in runs)
        return f"{expected} of {len(runs)} gates ended as they should", GOOD if expected == len(runs) else BAD
    wrong = sum(right(run) is False for run in runs)
    if wrong:
        return f"{wrong} of {len(runs)} runs gave a wrong answer: they have no number", BAD
    if given.kind == "bench":
        found = [against_serial(row) for row in at_full_speed(given) if row["engine"] != SERIAL]
        return f"against serial: {_counted(found)}", ""
    if given.kind == gate_summary.KIND:
        return str(given.document["outcome"]), {"pass": GOOD, "regressed": BAD, "wrong": BAD}.get(
            given.document["outcome"], OPEN
        )
    if given.kind in ("sweep", simulation_summary.KIND):
        try:
            _, judged = judge(given.document)
        except StreambenchError:  # own pipelines alone, or another engine
            return _checked(runs), ""
        counts = {each: sum(verdict.outcome is each for _, verdict in judged) for each in Outcome}
        return f"claims{'' if given.kind == 'sweep' else ', simulated'}: " + ", ".join(
            f"{count} {name}" for name, count in counts.items() if count
        ), ""
    return _checked(runs), ""


def _checked(runs: Sequence[Row]) -> str:
    """Of runs of which none is wrong."""
    if not runs:
        return "no runs"
    unchecked = sum(right(run) is None for run in runs)
    return f"{unchecked} of {len(runs)} runs were not checked" if unchecked else "every run right"


def _against_serial(given: Given) -> Table:
    rows = at_full_speed(given)
    ratio = heading("ratio to serial", ratios(rows))
    columns = ("query", "engine", "workers", "unit", "tuples/s", ratio, "p50", "p99", "verdict")
    return Table("Verdicts", columns, [_cells(row) for row in rows], (*NUMBERS, ratio))


def _cells(row: Row) -> list[Cell]:
    begin = [*words(row["query"], row["engine"]), Cell(str(row["workers"]), row["workers"])]
    begin.append(Cell(str(row["unit"] or "chosen"), row["unit"]))
    if not row["verified"]:
        return [*begin, *words(None, None, None, None), Cell(f"wrong: {row['wrong']} of {row['runs']} runs", tone=BAD)]
    waits = [row["latency"].get(name) for name in ("p50", "p99")]
    found = against_serial(row)
    base = row["engine"] == SERIAL
    return [
        *begin,
        Cell(human(row["throughput"]), row["throughput"]),
        Cell("1", 1.0) if base else Cell(ratio_text(row["ratio"]), (row["ratio"] or {}).get("median")),
        *(Cell(duration(wait), wait) for wait in waits),
        Cell("the base") if base else Cell(str(found), tone=TONES[found]),
    ]


def _counted(found: Sequence[Verdict]) -> str:
    counts = {each: found.count(each) for each in Verdict}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing else was measured"

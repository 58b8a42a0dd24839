"""A gate's verdicts, and results of kinds that have no section of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streambench.lab.compare.comparison import Verdict
from streambench.lab.record.gate_summary import KIND
from streambench.lab.record.interval_text import written
from streambench.lab.record.statistics import Interval
from streambench.lab.report.given import KNOWN, Given, of_kind
from streambench.lab.report.section import BAD, GOOD, OPEN, Block, Cell, Section, Table, words

TONES = {"pass": GOOD, "regressed": BAD, str(Verdict.OPEN): OPEN, "wrong": BAD, "inconclusive": OPEN}
NUMBERS = ("base", "new", "new to base", "limit")


def section(given: Sequence[Given]) -> Section | None:
    """None without a result of `streambench gate`."""
    blocks = []
    for each in of_kind(given, KIND):
        document = each.document
        asked, problem = document["parameters"], document["problem"]
        text = f"Base {asked['base'][:12]}, new {asked['new'][:12]}: {document['outcome']}."
        rows = [_cells(row) for row in document["verdicts"]]
        columns = ("workload", "metric", *NUMBERS, "pairs", "verdict")
        table = Table("The gate's verdicts", columns, rows, (*NUMBERS, "pairs"))
        blocks.append(Block(each.title, (text, *([f"{problem.rstrip('.')}."] if problem else [])), (), (table,)))
    return Section("gate", "Gate", blocks) if blocks else None


def others(given: Sequence[Given]) -> Section | None:
    """A plain table of the runs of any other kind."""
    blocks = []
    for each in given:
        runs = each.document["runs"] if each.kind not in KNOWN else []
        told = (name for run in runs for name, value in run.items() if isinstance(value, bool | int | float | str))
        names = list(dict.fromkeys(told))
        if names:
            rows = [[_plain(run.get(name)) for name in names] for run in runs]
            numbers = [name for name in names if any(_is_number(run.get(name)) for run in runs)]
            blocks.append(Block(each.title, (), (), (Table(f"Runs of {each.kind}", names, rows, numbers),)))
    return Section("others", "Other results", blocks) if blocks else None


def _cells(row: Mapping[str, Any]) -> list[Cell]:
    ratio, verdict = Interval.of(row["ratio"]), str(row["verdict"])
    return [
        *words(row["query"], row["metric"]),
        *(Cell(f"{row[name]:.4g}", row[name]) for name in ("base", "new")),
        Cell(written(ratio, "{:.3f}".format), ratio.median),
        Cell(f"{row['limit']:.3f}{' (wider)' if row['limit'] != row['wanted_limit'] else ''}", row["limit"]),
        Cell(str(ratio.n), ratio.n),
        Cell(verdict, tone=TONES.get(verdict, "")),
    ]


def _plain(value: Any) -> Cell:
    if _is_number(value):
        return Cell(f"{value:.4g}" if isinstance(value, float) else str(value), float(value))
    return Cell("" if value is None or isinstance(value, dict | list) else str(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

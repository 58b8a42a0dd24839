"""Sections that are mostly a table: gates, comparisons, targets, joins, top-k, peers, and any other kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from streambench.errors import StreambenchError
from streambench.lab.compare.comparison import Verdict, steps
from streambench.lab.figures import changes as changing
from streambench.lab.figures import joins as join_figures
from streambench.lab.figures import topk as topk_figures
from streambench.lab.figures.chart import picture
from streambench.lab.record import gate_summary, peers_summary
from streambench.lab.record.interval_text import written
from streambench.lab.record.perf_summary import number as in_short
from streambench.lab.record.perf_summary import target_text, verdict
from streambench.lab.record.run import Plain
from streambench.lab.record.statistics import Interval
from streambench.lab.record.summary import duration, human
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import KNOWN, RUN, NamedDocument, of_kind
from streambench.lab.report.panel import Line, Mark, Panel, pictures
from streambench.lab.report.section import BAD, GOOD, MIB, OPEN, Block, Picture, Table, right_or_wrong
from streambench.lab.show import comparison as shown
from streambench.lab.show.table import Cell, Column, number, words
from streambench.lab.show.tables import to_base, two_decimals, waits

Blocks = Iterator[Block]

TONES = {Verdict.FASTER: GOOD, Verdict.SLOWER: BAD, Verdict.OPEN: OPEN, Verdict.WRONG: BAD}
GATE_TONES = {"pass": GOOD, "regressed": BAD, str(Verdict.OPEN): OPEN, "wrong": BAD, "inconclusive": OPEN}
PEERS = (
    "The same queries on the same files with the same checks, each engine in its own best configuration. Whoever "
    "answers wrongly has no number. Start-up is apart from throughput. Some streams are replayed for several laps; who "
    "takes the stream once is compared with one pass of ours."
)
VERIFIED = Column("verified", right_or_wrong)


def gates(documents: Sequence[NamedDocument], _: Drawing) -> Blocks:
    """A gate's verdicts."""
    columns = (
        Column("workload", "query"),
        *words("metric"),
        number("base", "base", "{:.4g}".format),
        number("new", "new", "{:.4g}".format),
        number("new to base", lambda row: Cell(written(_ratio(row), "{:.3f}".format), _ratio(row).median)),
        number("limit", _limit),
        number("pairs", lambda row: _ratio(row).n),
        Column("verdict", lambda row: Cell(str(row["verdict"]), tone=GATE_TONES.get(str(row["verdict"]), ""))),
    )
    for each in of_kind(documents, gate_summary.KIND):
        parameters, problem = each.document["parameters"], each.document["problem"]
        text = f"Base {parameters['base'][:12]}, new {parameters['new'][:12]}: {each.document['outcome']}."
        table = Table.of("The gate's verdicts", columns, each.document["verdicts"])
        yield Block(each.title, (text, *([f"{problem.rstrip('.')}."] if problem else [])), (), (table,))


def _ratio(row: Plain) -> Interval:
    return Interval.of(row["ratio"])


def _limit(row: Plain) -> Cell:
    return Cell(f"{row['limit']:.3f}{' (wider)' if row['limit'] != row['wanted_limit'] else ''}", row["limit"])


def comparisons(documents: Sequence[NamedDocument], _: Drawing) -> Blocks:
    """Verdicts between two results of one kind, on one machine and one set of data: each against the one before."""
    for step in steps([(each.title, each.document) for each in documents if each.kind != RUN]):
        title = f"{step.new} against {step.base}"
        if isinstance(step.comparison, StreambenchError):
            yield Block(title, (f"Not compared: {step.comparison}.",))
        else:
            table = Table.of("New to base", shown.layout(step.comparison, TONES).columns, step.comparison.rows)
            yield Block(title, (shown.caption(step.comparison),), (), (table,))


def changes(documents: Sequence[NamedDocument], drawing: Drawing) -> Blocks:
    """How runs get through a change of their stream, of every result of perf that has followed some over time."""
    for each in of_kind(documents, "perf"):
        if tracks := changing.tracks(each.document):
            drawn = Picture(drawing.svg(changing.figure(tracks, ""), changing.summary(tracks)), changing.text())
            yield Block(each.title, (), [drawn])


def targets(documents: Sequence[NamedDocument], _: Drawing) -> Blocks:
    """How every measure of `streambench bench perf` stands to its target."""
    met = {True: Cell("met", tone=GOOD), False: Cell("not met", tone=BAD), None: Cell("")}
    columns = (
        *words("section", "what"),
        number("target", lambda row: Cell(target_text(row), row["target"])),
        number("median", Interval.of, in_short),
        *words("unit"),
        Column("met", lambda row: met[row["met"]]),
        *words("note"),
    )
    for each in of_kind(documents, "perf"):
        rows = each.document["summary"]
        table = Table.of("Measures and targets", columns, rows)
        yield Block(each.title, (f"{verdict(rows)}. Every run was checked.",), (), (table,))


def joins(documents: Sequence[NamedDocument], drawing: Drawing) -> Blocks:
    """Joins (paper 001)."""
    columns = (
        *words("measure", "join", "tier"),
        number("threads", "threads"),
        number("window", "window_seconds", "{:g} s".format, none=""),
        number("comparisons/s", "comparisons_interval", human, none=""),
        number("tuples/s", "tuples_per_second", human),
        *waits("p50", "p99", none=""),
        VERIFIED,
    )
    return _of_paper(join_figures, "Joins", columns, documents, drawing)


def topk(documents: Sequence[NamedDocument], drawing: Drawing) -> Blocks:
    """Top-k (paper 002)."""
    columns = (
        *words("design"),
        number("threads", "threads"),
        number("α", "alpha", "{:g}".format),
        number("reads that fail", "failing", lambda part: f"{100 * part:g} %"),
        number("updates/s", "updates_interval", human, none=""),
        VERIFIED,
    )
    return _of_paper(topk_figures, "Top-k", columns, documents, drawing)


def _of_paper(
    figures: Any, title: str, columns: Sequence[Column], documents: Sequence[NamedDocument], drawing: Drawing
) -> Blocks:
    """The figures of a bench, and its table."""
    for each in of_kind(documents, figures.KIND):
        drawn = []
        for name, figure in figures.CHARTS.items():
            if (chart := figure.chart(each.document)) is not None:
                svg = drawing.svg(picture(chart, ""), f"Figure {name}. {chart.text}")
                drawn.append(Picture(svg, figures.caption(name, each.document, chart)))
        yield Block(each.title, (), drawn, (Table.of(title, columns, each.document["summary"]),))


def peers(documents: Sequence[NamedDocument], drawing: Drawing) -> Blocks:
    """Other engines side by side with ours: throughput, latency, memory, and what each guarantees about order."""
    columns = (
        *words("query", "peer", "order"),
        number("laps", "laps"),
        number("tuples/s", "throughput_interval", human, none=""),
        number(f"{peers_summary.BASE} to it", to_base, two_decimals),
        *waits("p50", "p99", none=""),
        number("one pass", "pass_seconds", duration, none=""),
        number("peak memory", "peak_memory", lambda size: f"{size / MIB:,.0f} MiB", none=""),
        number("start", "start_seconds", duration, none=""),
        number("first run", "first_seconds", duration, none=""),
        *words("version", "configuration", "guarantees"),
        Column("verified", lambda row: right_or_wrong(row, "no: {problem}")),
    )
    for each in of_kind(documents, peers_summary.KIND):
        rows = each.document["summary"]
        yield Block(each.title, (PEERS,), pictures(drawing, [_speeds(rows)]), (Table.of("Peers", columns, rows),))


def _speeds(rows: Sequence[Plain]) -> Panel:
    queries = list(dict.fromkeys(row["query"] for row in rows))
    lines = []
    for place, peer in enumerate(dict.fromkeys(row["peer"] for row in rows)):
        right = [row for row in rows if row["peer"] == peer and row["throughput_interval"]]
        marks = [Mark.of(float(queries.index(row["query"])), Interval.of(row["throughput_interval"])) for row in right]
        if marks:
            lines.append(Line(peer, place, (), marks))
    ticks = [(float(place), query) for place, query in enumerate(queries)]
    return Panel("Throughput", "query", "tuples per second", lines, ticks, log=True, dodged=True)


def others(documents: Sequence[NamedDocument], _: Drawing) -> Blocks:
    """A plain table of the runs of any other kind."""
    for each in documents:
        runs = each.document["runs"] if each.kind not in KNOWN else []
        names = (name for run in runs for name, value in run.items() if isinstance(value, bool | int | float | str))
        columns = [_plain_column(name, runs) for name in dict.fromkeys(names)]
        if columns:
            yield Block(each.title, (), (), (Table.of(f"Runs of {each.kind}", columns, runs),))


def _plain_column(name: str, runs: Sequence[Plain]) -> Column:
    def plain(row: Plain) -> Cell:
        value = row.get(name)
        if _is_number(value):
            return Cell(f"{value:.4g}" if isinstance(value, float) else str(value), float(value))
        return Cell("" if value is None or isinstance(value, dict | list) else str(value))

    return Column(name, plain, number=any(_is_number(run.get(name)) for run in runs))


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)

"""The paper's claims, judged by a sweep, and the paper's figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from streambench.errors import StreambenchError
from streambench.lab.claims import judge
from streambench.lab.claims import table as shown
from streambench.lab.claims.claim import Evidence, Outcome, Verdict
from streambench.lab.figures import paper, simulated
from streambench.lab.figures.caption import origin
from streambench.lab.figures.chart import picture
from streambench.lab.figures.paper import FIGURES
from streambench.lab.figures.selection import KIND, select
from streambench.lab.figures.simulated import provenance
from streambench.lab.record.simulation_summary import KIND as SIMULATION
from streambench.lab.record.validation_summary import KIND as VALIDATION
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import NamedDocument, of_kind
from streambench.lab.report.section import BAD, GOOD, OPEN, Block, Picture, Table
from streambench.lab.show.table import Cell, Column, number

TONES = {Outcome.HOLDS: GOOD, Outcome.FAILS: BAD, Outcome.OPEN: OPEN}


def claims(documents: Sequence[NamedDocument], _: Drawing) -> Iterator[Block]:
    """A table for each sweep of the paper's schemes, measured or simulated."""
    for each in of_kind(documents, KIND, SIMULATION):
        try:
            mode, judged = judge(each.document)
        except StreambenchError:  # own pipelines alone, or another engine: no claim is about them
            continue
        made_up = each.kind == SIMULATION
        what, how = ("simulated", "simulated") if made_up else ("measured", "here")
        columns = (
            number("number", lambda row: row[0].number),
            Column("claim", lambda row: f"{row[0].text} ({row[0].source})"),
            Column(what, lambda row: "; ".join(_measured(part) for part in row[1].evidence if part.number)),
            Column(how, lambda row: _outcome(row[1])),
        )
        texts = (
            (paper.in_words(mode), provenance(each.document))
            if made_up
            else (origin(each.document), paper.in_words(mode))
        )
        yield Block(each.title, texts, (), (Table.of("Claims of paper 000", columns, judged),))


def _measured(part: Evidence) -> str:
    return f"{part.subject} {shown.measured(part)}"


def _outcome(verdict: Verdict) -> Cell:
    return Cell(f"{verdict.outcome}{': ' if verdict.why else ''}{verdict.why}", tone=TONES[verdict.outcome])


def figures(documents: Sequence[NamedDocument], drawing: Drawing) -> Iterator[Block]:
    """Paper 000's figures, of the smallest unit size, of sweeps, measured or simulated, that hold points of any. Beside
    what is simulated is what the newest sweep has measured."""
    measured, validations = of_kind(documents, KIND), of_kind(documents, VALIDATION)
    for each in measured:
        if pictures := list(_drawn(each, drawing)):
            yield Block(each.title, (), pictures)
    for each in of_kind(documents, SIMULATION):
        whole = select(each.document)
        beside = measured[-1].document if measured else None
        validation = validations[-1].document if validations else None
        drawn = simulated.charts(each.document, beside, validation, FIGURES, whole.modes[:1])
        pictures = [
            Picture(drawing.svg(picture(chart, ""), f"Figure {name} to {cores} cores, simulated"), caption)
            for name, _, cores, chart, caption in drawn
        ]
        if pictures:
            yield Block(each.title, (), pictures)


def _drawn(named: NamedDocument, drawing: Drawing) -> Iterator[Picture]:
    whole = select(named.document)
    for mode in whole.modes[:1]:
        for name, figure in paper.FIGURES.items():
            selection = figure.select(whole.in_mode(mode))
            chart = figure.chart(selection) if selection.points else None
            if chart is not None and any(each["line"] in chart.lines for each in chart.rows):
                caption = paper.caption(name, named.document, mode, chart, selection)
                yield Picture(drawing.svg(picture(chart, ""), f"Figure {name}. {chart.text}"), caption)

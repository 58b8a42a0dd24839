"""The paper's claims, judged by a sweep, and the paper's figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from streambench.errors import StreambenchError
from streambench.lab.claims import judge
from streambench.lab.claims import table as shown
from streambench.lab.claims.claim import Outcome
from streambench.lab.figures import paper, simulated
from streambench.lab.figures.caption import origin
from streambench.lab.figures.chart import picture
from streambench.lab.figures.paper import FIGURES
from streambench.lab.figures.selection import KIND, select
from streambench.lab.figures.simulated import provenance
from streambench.lab.record.simulation_summary import KIND as SIMULATION
from streambench.lab.report.given import Given, of_kind
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.section import BAD, GOOD, OPEN, Block, Cell, Picture, Section, Table, words

TONES = {Outcome.HOLDS: GOOD, Outcome.FAILS: BAD, Outcome.OPEN: OPEN}


def claims(given: Sequence[Given]) -> Section | None:
    """A table for each sweep of the paper's schemes, measured or simulated; None without any."""
    blocks = []
    for each in of_kind(given, KIND, SIMULATION):
        try:
            mode, judged = judge(each.document)
        except StreambenchError:  # own pipelines alone, or another engine: no claim is about them
            continue
        made_up = each.kind == SIMULATION
        rows = [
            [
                Cell(str(claim.number), claim.number),
                *words(f"{claim.text} ({claim.source})"),
                *words("; ".join(f"{part.subject} {shown.measured(part)}" for part in verdict.evidence if part.number)),
                Cell(f"{verdict.outcome}{': ' if verdict.why else ''}{verdict.why}", tone=TONES[verdict.outcome]),
            ]
            for claim, verdict in judged
        ]
        what, how = ("simulated", "simulated") if made_up else ("measured", "here")
        table = Table("Claims of paper 000", ("number", "claim", what, how), rows, ("number",))
        told = (
            (paper.in_words(mode), provenance(each.document))
            if made_up
            else (origin(each.document), paper.in_words(mode))
        )
        blocks.append(Block(each.title, told, (), (table,)))
    return Section("claims", "The paper's claims", blocks) if blocks else None


def figures(given: Sequence[Given], drawing: Drawing) -> Section | None:
    """Paper 000's figures, of the smallest unit size: None without a sweep, measured or simulated, that holds points of
    any. Beside what is simulated is what the newest sweep has measured."""
    blocks = [Block(each.title, (), found) for each in of_kind(given, KIND) if (found := list(_drawn(each, drawing)))]
    measured = [each.document for each in of_kind(given, KIND)]
    for each in of_kind(given, SIMULATION):
        whole = select(each.document)
        drawn = simulated.charts(each.document, measured[-1] if measured else None, FIGURES, whole.modes[:1])
        found = [
            Picture(drawing.svg(picture(chart, ""), f"Figure {name} to {cores} cores, simulated"), caption)
            for name, _, cores, chart, caption in drawn
        ]
        if found:
            blocks.append(Block(each.title, (), found))
    return Section("figures", "The paper's figures", blocks, wide=True) if blocks else None


def _drawn(given: Given, drawing: Drawing) -> Iterator[Picture]:
    whole = select(given.document)
    for mode in whole.modes[:1]:
        for name, figure in paper.FIGURES.items():
            selection = figure.select(whole.where(unit=mode.unit, fuse=mode.fuse))
            chart = figure.chart(selection) if selection.points else None
            if chart is not None and any(each["line"] in chart.lines for each in chart.rows):
                caption = paper.caption(name, given.document, mode, chart, selection)
                yield Picture(drawing.svg(picture(chart, ""), f"Figure {name}. {chart.text}"), caption)

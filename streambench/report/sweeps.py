"""The paper's claims, judged by a sweep, and the paper's figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from streambench.claims import judge
from streambench.claims import table as shown
from streambench.claims.claim import Outcome
from streambench.errors import StreambenchError
from streambench.figures import paper
from streambench.figures.chart import picture
from streambench.figures.selection import KIND, select
from streambench.report.given import Given, of_kind
from streambench.report.inline_svg import Drawing
from streambench.report.section import BAD, GOOD, OPEN, Block, Cell, Picture, Section, Table, words

TONES = {Outcome.HOLDS: GOOD, Outcome.FAILS: BAD, Outcome.OPEN: OPEN}


def claims(given: Sequence[Given]) -> Section | None:
    """None without a sweep of the paper's schemes."""
    blocks = []
    for each in of_kind(given, KIND):
        try:
            mode, judged = judge(each.document)
        except StreambenchError:  # own pipelines alone, or another engine: no claim is about them
            continue
        rows = [
            [
                Cell(str(claim.number), claim.number),
                *words(f"{claim.text} ({claim.source})"),
                *words("; ".join(f"{part.subject} {shown.measured(part)}" for part in verdict.evidence if part.number)),
                Cell(f"{verdict.outcome}{': ' if verdict.why else ''}{verdict.why}", tone=TONES[verdict.outcome]),
            ]
            for claim, verdict in judged
        ]
        table = Table("Claims of paper 000", ("number", "claim", "measured", "verdict"), rows, ("number",))
        blocks.append(Block(each.title, (paper.in_words(mode),), (), (table,)))
    return Section("claims", "The paper's claims", blocks) if blocks else None


def figures(given: Sequence[Given], drawing: Drawing) -> Section | None:
    """Paper 000's figures, of the smallest unit size: None without a sweep that holds points of any."""
    blocks = [Block(each.title, (), found) for each in of_kind(given, KIND) if (found := list(_drawn(each, drawing)))]
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

"""How runs get through a change of their stream, of every result of perf that has followed some over time."""

from __future__ import annotations

from collections.abc import Sequence

from streambench.lab.figures import changes
from streambench.lab.report.given import Given, of_kind
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.section import Block, Picture, Section


def section(given: Sequence[Given], drawing: Drawing) -> Section | None:
    """None where no run was followed."""
    blocks = []
    for each in of_kind(given, "perf"):
        if found := changes.tracks(each.document):
            picture = Picture(drawing.svg(changes.figure(found, ""), changes.told(found)), changes.text())
            blocks.append(Block(each.title, (), [picture]))
    return Section("changes", "Streams that change", blocks, wide=True) if blocks else None

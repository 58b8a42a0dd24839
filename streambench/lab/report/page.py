"""The whole page: every section that the given results have something for, in one file that needs no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from streambench.lab.report import (
    load,
    machine,
    percentiles,
    sweeps,
    tables,
    throughput,
    validation,
    verdicts,
    worker_time,
)
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import NamedDocument, simulated_sentence
from streambench.lab.report.section import Part, Section
from streambench.version import __version__

TEMPLATES = Path(__file__).with_name("page")


PARTS = (
    Part("summary", "Summary", verdicts.blocks),
    Part("gate", "Gate", tables.gates),
    Part("comparisons", "What changed", tables.comparisons),
    Part("throughput", "Throughput over workers", throughput.blocks),
    Part("load", "Latency over load", load.blocks),
    Part("changes", "Streams that change", tables.changes, wide=True),
    Part("percentiles", "Percentile curves", percentiles.blocks),
    Part("worker-time", "Where workers' time went", worker_time.blocks),
    Part("simulation", "Simulated beside measured", validation.blocks),
    Part("claims", "The paper's claims", sweeps.claims),
    Part("figures", "The paper's figures", sweeps.figures, wide=True),
    Part("targets", "Against targets", tables.targets),
    Part("joins", "Joins", tables.joins, wide=True),
    Part("topk", "Top-k", tables.topk, wide=True),
    Part("peers", "Peers, side by side", tables.peers),
    Part("others", "Other results", tables.others),
    Part("machine", "Machine", machine.machines),
    Part("method", "Method", machine.method),
)
"""In the order of the page."""

Report = Callable[[str, float], None]
"""Called with what is being drawn and the fraction of the whole that is done."""


def sections(documents: Sequence[NamedDocument], report: Report = lambda what, fraction: None) -> list[Section]:
    """Those that there is something for."""
    drawing = Drawing()
    parts = []
    for place, part in enumerate(PARTS):
        report(part.title, place / len(PARTS))
        parts.append(part.section(documents, drawing))
    return [each for each in parts if each is not None]


def page(documents: Sequence[NamedDocument], report: Report = lambda what, fraction: None) -> str:
    """The page as HTML. The same results give the same text."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("page.html").render(
        sections=sections(documents, report),
        documents=documents,
        simulated=simulated_sentence(documents),
        version=__version__,
        title=", ".join(each.title for each in documents),
    )

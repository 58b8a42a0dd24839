"""The whole page: every section that the given results have something for, in one file that needs no other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from streambench.report import (
    comparisons,
    gates,
    load,
    machine,
    papers,
    peers,
    percentiles,
    sweeps,
    targets,
    throughput,
    verdicts,
    worker_time,
)
from streambench.report.given import Given
from streambench.report.inline_svg import Drawing
from streambench.report.section import Section
from streambench.version import __version__

TEMPLATES = Path(__file__).with_name("page")


def sections(given: Sequence[Given]) -> list[Section]:
    """Those that there is something for, in the order of the page."""
    drawing = Drawing()
    found = [
        verdicts.section(given),
        gates.section(given),
        comparisons.section(given),
        throughput.section(given, drawing),
        load.section(given, drawing),
        percentiles.section(given, drawing),
        worker_time.section(given, drawing),
        sweeps.claims(given),
        sweeps.figures(given, drawing),
        targets.section(given),
        papers.join_section(given, drawing),
        papers.topk_section(given, drawing),
        peers.section(given, drawing),
        gates.others(given),
        machine.machines(given),
        machine.method(given),
    ]
    return [each for each in found if each is not None]


def page(given: Sequence[Given]) -> str:
    """The page as HTML. The same results give the same text."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("page.html").render(
        sections=sections(given), given=given, version=__version__, title=", ".join(each.title for each in given)
    )

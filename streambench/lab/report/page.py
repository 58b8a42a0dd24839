"""The whole page: every section that the given results have something for, in one file that needs no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from streambench.lab.report import (
    changes,
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
from streambench.lab.report.given import Given, told_simulated
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.section import Section
from streambench.version import __version__

TEMPLATES = Path(__file__).with_name("page")


Report = Callable[[str, float], None]
"""Called with what is being drawn and the fraction of the whole that is done."""


def sections(given: Sequence[Given], report: Report = lambda what, fraction: None) -> list[Section]:
    """Those that there is something for, in the order of the page."""
    drawing = Drawing()
    makers: dict[str, Callable[[], Section | None]] = {
        "verdicts": lambda: verdicts.section(given),
        "gates": lambda: gates.section(given),
        "comparisons": lambda: comparisons.section(given),
        "throughput": lambda: throughput.section(given, drawing),
        "latency over load": lambda: load.section(given, drawing),
        "changes": lambda: changes.section(given, drawing),
        "percentiles": lambda: percentiles.section(given, drawing),
        "worker time": lambda: worker_time.section(given, drawing),
        "claims": lambda: sweeps.claims(given),
        "sweeps": lambda: sweeps.figures(given, drawing),
        "targets": lambda: targets.section(given),
        "joins": lambda: papers.join_section(given, drawing),
        "heavy hitters": lambda: papers.topk_section(given, drawing),
        "peers": lambda: peers.section(given, drawing),
        "other results": lambda: gates.others(given),
        "machines": lambda: machine.machines(given),
        "method": lambda: machine.method(given),
    }
    found = []
    for place, (name, make) in enumerate(makers.items()):
        report(name, place / len(makers))
        found.append(make())
    return [each for each in found if each is not None]


def page(given: Sequence[Given], report: Report = lambda what, fraction: None) -> str:
    """The page as HTML. The same results give the same text."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("page.html").render(
        sections=sections(given, report),
        given=given,
        simulated=told_simulated(given),
        version=__version__,
        title=", ".join(each.title for each in given),
    )

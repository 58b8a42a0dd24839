"""The paper's figures to more cores than there are: simulated curves, hollow and dashed, beside what was measured.

A set to the paper's 16 cores, and one to the most that were simulated. Every row of the CSV says whether it is
simulated; points of the sweep that was measured are drawn as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from streambench.lab.figures.caption import DERIVED, not_drawn, origin, sentences
from streambench.lab.figures.chart import LOG, NUMBER, Chart
from streambench.lab.figures.drawable import drawable
from streambench.lab.figures.files import Picture
from streambench.lab.figures.lines import SIMULATED, plain
from streambench.lab.figures.paper import FIGURES, chart_of, in_words, suffix
from streambench.lab.figures.points import Document
from streambench.lab.figures.recipe import chart_picture
from streambench.lab.figures.selection import Mode, describe, select
from streambench.lab.figures.sweeps import sweep_for
from streambench.lab.record.run import Row

PAPER_CORES = 16


class Simulated(NamedTuple):
    """A figure to so many cores, in a mode, with its caption."""

    name: str
    mode: Mode
    cores: int
    chart: Chart
    caption: str


def pictures(
    document: Document,
    names: Collection[str],
    tell: Callable[[str], None],
    measured: Document | None,
    validation: Document | None,
) -> Iterator[Picture]:
    """figure-<name>-<cores>-cores of each of ``names`` that has simulated points to show.

    ``measured``: a sweep's document, whose points stand beside the curves, or None. ``validation``: see ``drawable``.
    ``tell`` gets a sentence for each figure that is not drawn.
    """
    whole = select(document)
    whole.require_others()
    missing = dict.fromkeys(names)
    for name, mode, cores, chart, text in charts(document, measured, validation, names, whole.modes):
        missing.pop(name, None)
        yield chart_picture(f"figure-{name}-{cores}-cores{suffix(mode, whole.modes)}", chart, text)
    choice = drawable(document, _comparable(document, measured), validation)
    for name in missing:
        reasons = choice.reasons(FIGURES[name].select(whole).points)
        why = f"the result holds no simulated runs of {FIGURES[name].needs}"
        how = f"{sweep_for(name, simulated=True)} simulates it"
        tell(f"figure {name} is not drawn: {'; '.join([*(reasons or [why]), how])}")


def charts(
    document: Document,
    measured: Document | None,
    validation: Document | None,
    names: Iterable[str],
    modes: Sequence[Mode],
) -> Iterator[Simulated]:
    """Each figure, to the paper's cores and to the most, that has simulated points to show."""
    measured = _comparable(document, measured)
    choice = drawable(document, measured, validation)
    simulated, real = choice.shown, None if measured is None else select(measured)
    for name in names:
        for cores in sorted({min(PAPER_CORES, simulated.cores), simulated.cores}):
            for mode in modes:
                _, ours = chart_of(FIGURES[name], simulated, mode, cores)
                if ours is None:
                    continue
                theirs = None if real is None else chart_of(FIGURES[name], real, mode, real.cores)[1]
                text = caption(name, document, measured, (ours, theirs), mode, cores)
                of_figure = FIGURES[name].select(choice.whole.in_mode(mode))
                wrong = describe(of_figure.wrong)
                text += not_drawn([wrong] if wrong else [], why="a run failed")
                of_cores = [point for point in of_figure.points if point["workers"] <= cores]
                text += "".join(f" Not drawn, because {each}." for each in choice.reasons(of_cores))
                unknown = choice.not_compared(of_cores)
                text += f" One worker is not compared with a measured one: {', '.join(unknown)}." if unknown else ""
                yield Simulated(name, mode, cores, together(ours, theirs, cores), text)


def _comparable(document: Document, measured: Document | None) -> Document | None:
    """The measured sweep, if its operators took the same."""
    return measured if document["parameters"]["costs"] == "measured" else None


def together(simulated: Chart, real: Chart | None, cores: int) -> Chart:
    """One chart of both: each simulated line beside the measured one of the same name, and looking like it.

    References are those of the sweep, if it has any in a panel: they are measured, or follow from a definition.
    """
    others, lines, panels = ((), (), {}) if real is None else (real.rows, real.lines, real.panels)
    referred = {each["panel"] for each in others if each["line"] not in lines}
    rows: list[Row] = [{**each, "simulated": "no"} for each in others]
    for each in simulated.rows:
        if each["line"] in simulated.lines:
            rows.append({**each, "line": each["line"] + SIMULATED, "simulated": "yes"})
        elif each["panel"] not in referred:
            rows.append({**each, "simulated": "no"})
    names = dict.fromkeys([*simulated.lines, *lines])
    many = simulated.x == NUMBER and cores > PAPER_CORES
    return replace(
        simulated,
        panels={**simulated.panels, **panels},
        rows=rows,
        lines=[*names, *(name + SIMULATED for name in names)],
        x=LOG if many else simulated.x,
        x_unit=plain if many else simulated.x_unit,
    )


def caption(
    name: str, document: Document, measured: Document | None, charts: tuple[Chart, Chart | None], mode: Mode, cores: int
) -> str:
    """What is simulated, from what, and what is measured, in sentences."""
    ours, theirs = charts
    queries = any(run["micro"] is None for run in document["runs"])
    beside = "Nothing was measured beside it but the serial engine, just before the profile runs."
    if theirs is not None and measured is not None:
        text = f" ({theirs.text.rstrip('.')})" if theirs.text != ours.text else ""
        beside = f"Filled: measured{text} by a sweep on {origin(measured, data=queries)}"
    return sentences(
        f"Figure {name}, to {cores} cores. Hollow and dashed: simulated, not measured. {ours.text}",
        in_words(mode),
        provenance(document),
        beside,
        DERIVED if queries else "",
    )


def provenance(document: Document) -> str:
    """From what it was simulated: machine, profiles, topology, seed, costs."""
    parameters = document["parameters"]
    place = parameters["topology"]
    clusters = place.get("clusters", 1)
    cores = f"{clusters} x {place['cores'] // clusters}" if clusters > 1 else place["cores"]
    costs = "as measured in these runs" if parameters["costs"] == "measured" else "as the paper's text gives them"
    return (
        f"Simulated from {len(parameters['profiles'])} profile runs of one worker and times of cache lines and "
        f"wake-ups on {origin(document)[:-1]}; {place['sockets']} x {cores} cores ({place['how']}), seeds "
        f"from {parameters['simulation_seed']} on; operators cost {costs}. Intervals and small points are of repeats, "
        "each with a profile and a seed of its own: the simulator's own error is not in them."
    )

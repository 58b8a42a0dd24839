"""The paper's figures to more cores than there are: simulated curves, hollow and dashed, beside what was measured.

A set to the paper's 16 cores, and one to the most that were simulated. Every row of the CSV says whether it is
simulated; points of the sweep that was measured are drawn as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.figures.caption import DERIVED, origin
from streambench.lab.figures.chart import LOG, NUMBER, Chart, Row, for_csv, picture
from streambench.lab.figures.figure import PaperFigure, sweep_for
from streambench.lab.figures.files import save, save_rows
from streambench.lab.figures.lines import SIMULATED, plain
from streambench.lab.figures.paper import FIGURES, Tell, in_words, suffix
from streambench.lab.figures.selection import Mode, Selection, describe, select

PAPER_CORES = 16

Document = Mapping[str, Any]


def draw(document: Document, measured: Document | None, out: Path, names: Collection[str], tell: Tell) -> list[Path]:
    """Write figure-<name>-<cores>-cores.png, .svg and .csv of each of ``names`` that has simulated points.

    ``measured``: a sweep's document, whose points stand beside the curves, or None. ``tell`` gets a sentence for each
    figure that is not drawn. Raises StreambenchError where none is drawn.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    whole = select(document)
    whole.require_others()
    written: list[Path] = []
    missing = dict.fromkeys(names)
    for name, mode, cores, chart, text in charts(document, measured, names, whole.modes):
        missing.pop(name, None)
        stem = f"figure-{name}-{cores}-cores{suffix(mode, whole.modes)}"
        written += [*save(picture(chart, text), out, stem), save_rows(for_csv(chart), out, stem)]
    for name in missing:
        tell(
            f"figure {name} is not drawn: the result holds no simulated runs of {FIGURES[name].needs}; "
            f"{sweep_for(name, simulated=True)} simulates it"
        )
    if not written:
        raise StreambenchError("there is nothing to draw: the result holds no simulated points of these figures")
    return written


def charts(
    document: Document, measured: Document | None, names: Iterable[str], modes: Sequence[Mode]
) -> Iterator[tuple[str, Mode, int, Chart, str]]:
    """Figure, mode, to how many cores, chart and caption of each that has simulated points."""
    if document["parameters"]["costs"] != "measured":
        measured = None  # its operators took something else
    simulated, real = select(document), None if measured is None else select(measured)
    for name in names:
        for cores in limits(simulated.cores):
            for mode in modes:
                ours = _chart(FIGURES[name], simulated, mode, cores)
                if ours is None:
                    continue
                theirs = None if real is None else _chart(FIGURES[name], real, mode, real.cores)
                beside = None if theirs is None else measured
                text = caption(FIGURES[name], document, beside, (ours, theirs), mode, cores)
                wrong = FIGURES[name].select(simulated.where(unit=mode.unit, fuse=mode.fuse)).wrong
                text += f" Not drawn, because a run failed: {describe(wrong)}." if wrong else ""
                yield name, mode, cores, together(ours, theirs, cores), text


def limits(cores: int) -> list[int]:
    """To how many cores there are figures, where so many were simulated."""
    return sorted({min(PAPER_CORES, cores), cores})


def together(simulated: Chart, real: Chart | None, cores: int) -> Chart:
    """One chart of both: each simulated line beside the measured one of the same name, and looking like it.

    References are those of the sweep, if it has any in a panel: they are measured, or follow from a definition.
    """
    others = () if real is None else real.rows
    referred = {each["panel"] for each in others if real is not None and each["line"] not in real.lines}
    rows: list[Row] = [{**each, "simulated": "no"} for each in others]
    for each in simulated.rows:
        if each["line"] in simulated.lines:
            rows.append({**each, "line": each["line"] + SIMULATED, "simulated": "yes"})
        elif each["panel"] not in referred:
            rows.append({**each, "simulated": "no"})
    names = dict.fromkeys([*simulated.lines, *(() if real is None else real.lines)])
    panels = {**simulated.panels, **({} if real is None else real.panels)}
    many = simulated.x == NUMBER and cores > PAPER_CORES
    return replace(
        simulated,
        panels={name: panels[name] for name in dict.fromkeys([*simulated.panels, *panels])},
        rows=rows,
        lines=[*names, *(name + SIMULATED for name in names)],
        x=LOG if many else simulated.x,
        x_unit=plain if many else simulated.x_unit,
    )


def _chart(figure: PaperFigure, selection: Selection, mode: Mode, cores: int) -> Chart | None:
    """The figure's chart of the points to so many cores; None without any."""
    found = figure.select(selection.where(unit=mode.unit, fuse=mode.fuse))
    found = found.where(lambda point: bool(point["workers"] <= cores))
    if not found.points:
        return None
    chart = figure.chart(found)
    return chart if any(each["line"] in chart.lines for each in chart.rows) else None


def caption(
    figure: PaperFigure,
    document: Document,
    measured: Document | None,
    charts: tuple[Chart, Chart | None],
    mode: Mode,
    cores: int,
) -> str:
    """What is simulated, from what, and what is measured, in sentences."""
    ours, theirs = charts
    queries = any(run["micro"] is None for run in document["runs"])
    told = [f"Figure {figure.name}, to {cores} cores. Hollow and dashed: simulated, not measured. {ours.text}"]
    told += [in_words(mode), provenance(document)]
    if theirs is None or measured is None:
        told += ["Nothing was measured beside it but the serial engine, just before the profile runs."]
    else:
        told += [
            "Filled: measured"
            + (f" ({theirs.text.rstrip('.')})" if theirs.text != ours.text else "")
            + f" by a sweep on {origin(measured, data=queries)}"
        ]
    return " ".join([*told, *([DERIVED] if queries else [])])


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

"""The paper's figures 8a to 14 from a sweep's document: those that it holds points for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.figures import heuristics, operator_latency, peaks, reordering, skew
from streambench.lab.figures.caption import DERIVED, MEASURED, origin
from streambench.lab.figures.chart import Chart, Row, for_csv, picture
from streambench.lab.figures.figure import PaperFigure, sweep_for
from streambench.lab.figures.files import save, save_rows
from streambench.lab.figures.selection import SCHEMES, Mode, Point, Selection, describe, select
from streambench.lab.record.interval_text import error_bars

FIGURES: Mapping[str, PaperFigure] = {
    figure.name: figure
    for name in ("8a", "8b", "9", "10", "11", "12a", "12b", "13a", "13b", "14")
    for module in (heuristics, skew, operator_latency, peaks, reordering)
    for figure in module.FIGURES
    if figure.name == name
}

Tell = Callable[[str], None]


def draw(document: Mapping[str, Any], out: Path, names: Collection[str], tell: Tell) -> list[Path]:
    """Write figure-<name>.png, .svg and .csv of each of ``names`` that has points; returns the paths.

    A set for each unit size: the smallest has the plain name, others end in -unit<N>. ``tell`` gets a sentence for each
    figure that is not drawn, and for own pipelines, which are in none. Raises StreambenchError where none is drawn.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    whole = select(document)
    whole.require_others()
    if whole.own:
        tell(f"{', '.join(whole.own)}: no figure of the paper is of an own pipeline")
    written: list[Path] = []
    for name, figure in FIGURES.items():
        if name not in names:
            continue
        drawn = [path for mode in whole.modes for path in _draw(figure, document, whole, mode, out)]
        if not drawn:
            tell(_missing(figure, figure.select(whole)))
        written += drawn
    if not written:
        raise StreambenchError(
            "there is nothing to draw: the result holds no verified points of these figures; "
            "measure them with `streambench bench sweep`"
        )
    return written


def suffix(mode: Mode, modes: Sequence[Mode]) -> str:
    """What tells a unit size's figures from others': nothing for the first, which is the smallest."""
    if mode == modes[0]:
        return ""
    twice = sum(other.unit == mode.unit for other in modes) > 1
    return f"-unit{mode.unit}{'-fused' if twice and mode.fuse else ''}"


def in_words(mode: Mode) -> str:
    unit = "Tuple by tuple" if mode.unit == 1 else f"In units of {mode.unit} tuples"
    return f"{unit}, {'stateless operators fused to the one before' if mode.fuse else 'every operator by itself'}."


def caption(name: str, document: Mapping[str, Any], mode: Mode, chart: Chart, selection: Selection) -> str:
    """What is drawn and how it was measured, in sentences."""
    counts = sorted({each["repeats"] for each in chart.rows if each["repeats"] is not None})
    repeats = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1])))) + (
        " repeat" if counts == [1] else " repeats"
    )
    queries = any(point["micro"] is None for point in selection.points)
    crowded = max(point["workers"] for point in selection.points) > selection.cores
    checked = "every run's output sequence was checked against serial's"
    sentences = [
        f"Figure {name}. {chart.text} {in_words(mode)}{_partitions(selection.points, chart.rows)}",
        origin(document, repeats=repeats, data=queries),
        error_bars(counts),
        "More workers than cores take turns." if crowded else "",
        f"{MEASURED}; {checked}{', every answer against SQL' if queries else ''}.",
        f"Not drawn, because a run was wrong: {describe(selection.wrong)}." if selection.wrong else "",
        DERIVED if queries else "",
    ]
    return " ".join(filter(None, sentences))


def _draw(figure: PaperFigure, document: Mapping[str, Any], whole: Selection, mode: Mode, out: Path) -> list[Path]:
    selection = figure.select(whole.where(unit=mode.unit, fuse=mode.fuse))
    if not selection.points:
        return []
    chart = figure.chart(selection)
    if not any(each["line"] in chart.lines for each in chart.rows):
        return []
    stem = f"figure-{figure.name}{suffix(mode, whole.modes)}"
    image = picture(chart, caption(figure.name, document, mode, chart, selection))
    return [*save(image, out, stem), save_rows(for_csv(chart), out, stem)]


def _missing(figure: PaperFigure, selection: Selection) -> str:
    how = f"{sweep_for(figure.name)} measures it"
    wrong = selection.wrong
    if wrong and not selection.points:
        return f"figure {figure.name} is not drawn: a run was wrong of {describe(wrong)}; {how}"
    return f"figure {figure.name} is not drawn: the result holds no verified runs of {figure.needs}; {how}"


def _partitions(points: Sequence[Point], rows: Sequence[Row]) -> str:
    """How many each scheme had, where any operator is keyed."""
    if all(point.kinds == ("sl",) for point in points):
        return ""
    found: dict[str, set[int]] = {}
    for each in rows:
        if each["partitions"] is not None and each["engine"] == SCHEMES:
            found.setdefault(each["partitioning"], set()).add(each["partitions"])
    told = [f"{scheme} {', '.join(map(str, sorted(counts)))}" for scheme, counts in found.items()]
    return f" Partitions: {'; '.join(told)}." if told else ""

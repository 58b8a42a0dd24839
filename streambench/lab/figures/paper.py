"""Paper 000's figures from a sweep's document: those that it holds points for, a set for each unit size."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from streambench.lab.figures import sweeps
from streambench.lab.figures.caption import DERIVED, MEASURED, not_drawn, origin, sentences
from streambench.lab.figures.chart import Chart
from streambench.lab.figures.files import Picture
from streambench.lab.figures.points import Document
from streambench.lab.figures.recipe import chart_picture
from streambench.lab.figures.selection import SCHEMES, ConfigPoint, Mode, Selection, describe, select
from streambench.lab.figures.sweeps import SweepFigure, sweep_for
from streambench.lab.record.interval_text import error_bars
from streambench.lab.record.run import Row

FIGURES = {each.name: each for each in sweeps.FIGURES}


def pictures(document: Document, names: Collection[str], tell: Callable[[str], None]) -> Iterator[Picture]:
    """figure-<name> of each of ``names`` that has points; of further unit sizes with names that end in -unit<N>.

    ``tell`` gets a sentence for each figure that is not drawn, and for own pipelines, which are in none.
    """
    whole = select(document)
    whole.require_others()
    if whole.own:
        tell(f"{', '.join(whole.own)}: no figure of the paper is of an own pipeline")
    for figure in sweeps.FIGURES:
        if figure.name not in names:
            continue
        drawn = 0
        for mode in whole.modes:
            selection, chart = chart_of(figure, whole, mode)
            if chart is not None:
                drawn += 1
                text = caption(figure.name, document, mode, chart, selection)
                yield chart_picture(f"figure-{figure.name}{suffix(mode, whole.modes)}", chart, text)
        if not drawn:
            tell(_missing(figure, figure.select(whole)))


def chart_of(
    figure: SweepFigure, whole: Selection, mode: Mode, cores: int | None = None
) -> tuple[Selection, Chart | None]:
    """What a figure is of in a mode, to so many ``cores``, and its chart; None where there are no points."""
    selection = figure.select(whole.in_mode(mode))
    if cores is not None:
        selection = selection.where(lambda point: bool(point["workers"] <= cores))
    return selection, figure.chart(selection) if selection.points else None


def suffix(mode: Mode, modes: Sequence[Mode]) -> str:
    """What tells a unit size's figures from others': nothing for the first, which is the smallest."""
    if mode == modes[0]:
        return ""
    twice = len({other.fuse for other in modes if other.unit == mode.unit}) > 1
    rate = f"-rate{mode.rate:.17g}" if mode.rate else ""
    cost = f"-cost-{mode.operator_cost.replace('=', '-')}" if mode.operator_cost else ""
    return f"-unit{mode.unit}{'-fused' if twice and mode.fuse else ''}{cost}{rate}"


def in_words(mode: Mode) -> str:
    fused = "stateless operators fused to the one before" if mode.fuse else "every operator by itself"
    cost = f" A tuple costs {mode.operator_cost} more in the queries' operators." if mode.operator_cost else ""
    rate = f" They arrive at {mode.rate:,.0f} a second." if mode.rate else ""
    unit = "Tuple by tuple" if mode.unit == 1 else f"In units of {mode.unit} tuples"
    return f"{unit}, {fused}.{cost}{rate}"


def caption(name: str, document: Document, mode: Mode, chart: Chart, selection: Selection) -> str:
    """What is drawn and how it was measured, in sentences."""
    counts = sorted({each["repeats"] for each in chart.rows if each["repeats"] is not None})
    repeats = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
    queries = any(point["micro"] is None for point in selection.points)
    crowded = max(point["workers"] for point in selection.points) > selection.cores
    wrong = describe(selection.wrong)
    return sentences(
        f"Figure {name}. {chart.text} {in_words(mode)}{_partitions(selection.points, chart.rows)}",
        origin(document, repeats=f"{repeats} repeat{'' if counts == [1] else 's'}", data=queries),
        error_bars(counts),
        "More workers than cores take turns." if crowded else "",
        f"{MEASURED}; every run's output sequence was checked against serial's"
        f"{', every answer against SQL' if queries else ''}.{not_drawn([wrong] if wrong else [])}",
        DERIVED if queries else "",
    )


def _missing(figure: SweepFigure, selection: Selection) -> str:
    how = f"{sweep_for(figure.name)} measures it"
    wrong = selection.wrong
    if wrong and not selection.points:
        return f"figure {figure.name} is not drawn: a run was wrong of {describe(wrong)}; {how}"
    return f"figure {figure.name} is not drawn: the result holds no verified runs of {figure.needs}; {how}"


def _partitions(points: Sequence[ConfigPoint], rows: Sequence[Row]) -> str:
    """How many each scheme had, where any operator is keyed."""
    if all(point.kinds == ("sl",) for point in points):
        return ""
    partitions: dict[str, set[int]] = {}
    for each in rows:
        if each["partitions"] is not None and each["engine"] == SCHEMES:
            partitions.setdefault(each["partitioning"], set()).add(each["partitions"])
    schemes = [f"{scheme} {', '.join(map(str, sorted(counts)))}" for scheme, counts in partitions.items()]
    return f" Partitions: {'; '.join(schemes)}." if schemes else ""

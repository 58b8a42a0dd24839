"""A figure's recipe: which points, in which panels and lines, over what, and what its caption says.

A recipe is data: the modules of the papers declare theirs, and what is here makes charts and files of any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from streambench.lab.figures.caption import MEASURED, not_drawn, origin, sentences
from streambench.lab.figures.chart import NUMBER, Chart, Panel, for_csv, picture, row
from streambench.lab.figures.files import Picture
from streambench.lab.figures.lines import plain
from streambench.lab.figures.points import Document, Measure, Point, Series
from streambench.lab.record.interval_text import error_bars
from streambench.lab.record.run import Row

Name = str | Callable[[Any], str]
"""The same for every point, or made of the point."""


class Drawn(NamedTuple):
    """What a caption tells of: the points, the rows made of them, and where they are from."""

    points: Sequence[Any]
    rows: Sequence[Row]
    source: Any


Told = str | Callable[[Drawn], str]


def measured(measure: Measure) -> Callable[[Point], Series]:
    """The measure of a point's runs."""
    return lambda point: point.series(measure)


@dataclass(frozen=True)
class Axis:
    """What a figure is over: ``of`` a point, how it is called, on which scale, and how its values are written."""

    label: Told
    of: Callable[[Any], float | str]
    scale: str = NUMBER
    unit: Callable[[float], str] = plain


@dataclass(frozen=True)
class Mark:
    """What is drawn of each point: ``y`` by repeat, in a ``line`` of a ``panel``, whose axis is described."""

    y: Callable[[Any], Series]
    y_label: str
    panel: Name
    line: Name
    title: Name | None = None
    log: bool = False
    unit: Callable[[float], str] = plain


@dataclass(frozen=True)
class Recipe:
    """``name``: the figure's number in the paper. ``needs``: what a document must hold for it, in words.

    ``lines``: all that may be in it, where their order is another than that of the points. ``references``: rows beside
    those of the points. ``also``: what stands after its number; None for a figure that the paper has not. ``note``,
    ``checked``: of the caption, where they differ from the paper's others.
    """

    name: str
    needs: str
    axis: Axis
    points: Callable[[Any], Sequence[Any]]
    marks: Sequence[Mark] | Callable[[Sequence[Any]], Sequence[Mark]]
    text: Told
    lines: Sequence[str] | Callable[[Drawn], Sequence[str]] | None = None
    references: Callable[[Drawn], Iterable[Row]] = lambda drawn: ()
    beside: str | None = None
    also: str | None = ""
    note: str = ""
    checked: str = ""

    def chart(self, source: Any) -> Chart | None:
        """The chart of a source's points; None where it has none."""
        points = self.points(source)
        rows: list[Row] = []
        panels: dict[str, Panel] = {}
        for mark in self.marks(points) if callable(self.marks) else self.marks:
            for point in points:
                name = _named(mark.panel, point)
                drawn_row = row(name, _named(mark.line, point), self.axis.of(point), mark.y(point), point)
                if drawn_row is not None:
                    rows.append(drawn_row)
                    title = name if mark.title is None else _named(mark.title, point)
                    panels.setdefault(name, Panel(title, mark.y_label, mark.log, mark.unit))
        if not rows:
            return None
        drawn = Drawn(points, rows, source)
        lines = self.lines(drawn) if callable(self.lines) else self.lines
        found = dict.fromkeys(each["line"] for each in rows)
        known = list(found) if lines is None else [*lines, *(each for each in found if ":" in each)]  # one's own
        if not any(each["line"] in known for each in rows):
            return None
        blank = dict.fromkeys(rows[0])
        beside = [{**blank, **each} for each in self.references(drawn) if each["panel"] in panels]
        text, label = (_named(each, drawn) for each in (self.text, self.axis.label))
        return Chart(label, panels, [*rows, *beside], known, text, self.axis.scale, self.axis.unit, self.beside)

    def picture(self, paper: Paper, document: Document) -> Picture | None:
        """The figure of a bench's document, with its caption."""
        chart = self.chart(document)
        return (
            None
            if chart is None
            else chart_picture(f"figure-{self.name}", chart, paper.caption(self.name, document, chart))
        )


def level(panel: str, line: str, x: float | None, y: float) -> Row:
    """A row that follows from a definition, such as a speed-up of 1; over the whole panel where ``x`` is None."""
    return {"panel": panel, "line": line, "x": x, "y": y}


def chart_picture(stem: str, chart: Chart, caption: str) -> Picture:
    """A chart, ready to be written."""
    return Picture(stem, lambda: picture(chart, caption), for_csv(chart))


class Figure(Protocol):
    """A recipe, or a figure of another make."""

    @property
    def name(self) -> str: ...
    @property
    def needs(self) -> str: ...
    def picture(self, paper: Paper, document: Document) -> Picture | None: ...


@dataclass(frozen=True)
class Paper:
    """The figures of one paper from the documents of the bench that measures for it.

    ``checked``: how its runs were. ``wrong``: the points of which a run was wrong, in words. ``note``: what stands
    after a figure's own text. ``crowded``: whether it is told that there are more threads than cores.
    """

    number: str
    kind: str
    figures: Sequence[Figure]
    checked: str
    wrong: Callable[[Document], Sequence[str]]
    note: Callable[[Document], str] = lambda document: ""
    crowded: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.figures)

    @property
    def recipes(self) -> dict[str, Recipe]:
        """Those that are charts, by name."""
        return {each.name: each for each in self.figures if isinstance(each, Recipe)}

    def pictures(self, document: Document, names: Sequence[str], tell: Callable[[str], None]) -> Iterator[Picture]:
        """Each of the figures that has points; ``tell`` gets a sentence for each that has none."""
        for figure in self.figures:
            if figure.name not in names:
                continue
            picture = figure.picture(self, document)
            if picture is None:
                tell(f"figure {figure.name} is not drawn: the result holds no verified {figure.needs}")
            else:
                yield picture

    def caption(self, name: str, document: Document, chart: Chart) -> str:
        """What is drawn, the paper's claim beside what was measured, and how that was, in sentences."""
        recipe = self.recipes[name]
        threads = max((each.get("threads") or 0 for each in chart.rows), default=0)
        crowded = self.crowded and threads > len(document["machine"]["cpu"]["allowed"])
        return sentences(
            "" if recipe.also is None else f"Figure {name} of paper {self.number}{recipe.also}.",
            chart.text,
            self.note(document),
            recipe.note,
            origin(document, data=False),
            error_bars({each["repeats"] for each in chart.rows if each["repeats"]}),
            "More threads than cores take turns." if crowded else "",
            self.closing(document, recipe.checked),
        )

    def closing(self, document: Document, checked: str = "") -> str:
        """How runs were checked, and what is left out."""
        return f"{MEASURED}; {checked or self.checked}.{not_drawn(self.wrong(document))}"


def _named(name: Any, of: Any) -> str:
    return str(name(of)) if callable(name) else str(name)

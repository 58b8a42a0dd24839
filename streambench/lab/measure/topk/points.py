"""What is measured, and for which of paper 002's figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from streambench.errors import OptionError
from streambench.lab.measure.topk.designs import DESIGNS
from streambench.lab.record.topk_summary import SOURCES_IN_WORDS, described


class TopkPoint(NamedTuple):
    """``threads``: and streams. ``failing``: the probability that a read finds no item. ``instrumented``: the time of
    operations is taken, which takes time. ``rho``: of a design that is tuned, the longest queue at which no thread
    sleeps; else 0. ``query_every``: items between two queries, 0 for none. ``source``: of the streams; ``alpha``: of
    those of Zipf's law.
    """

    design: str
    threads: int
    alpha: float | None
    failing: float
    instrumented: bool
    epsilon: float
    rho: int
    query_every: int
    source: str

    def title(self) -> str:
        """``shared, 4 threads, α 1.5, ε 0.0001``."""
        return f"{described(self._asdict())}{', profile' * self.instrumented}"


Law = tuple[str, float | None]
"""The source of streams, and the α of Zipf's law."""
ZIPF, OTHERS = "zipf", tuple(SOURCES_IN_WORDS)
SOURCES = (ZIPF, *OTHERS)


class Axes(Protocol):
    """What points are made of: read-only, as the bench's frozen dataclass has them."""

    @property
    def designs(self) -> Sequence[str]: ...
    @property
    def sources(self) -> Sequence[str]: ...
    @property
    def alphas(self) -> Sequence[float]: ...
    @property
    def streams(self) -> Sequence[int]: ...
    @property
    def failing(self) -> Sequence[float]: ...
    @property
    def epsilons(self) -> Sequence[float]: ...
    @property
    def rhos(self) -> Sequence[int]: ...
    @property
    def query_every(self) -> int: ...
    @property
    def figures(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Needs:
    """What a figure shows: these ``designs`` (all where there are none) at the values of α that are ``shown``,
    with streams of these ``sources``. ``beside``: designs that it shows too where they are measured.

    ``profiled``: also their profiles; ``unsaturated``: also where reads fail; ``epsilons``, ``rhos``: with all of
    these, else with the first; ``queried``: all designs are asked while they count, else only those that merge.
    """

    designs: Sequence[str] = ()
    shown: Callable[[float], bool] = lambda alpha: True
    profiled: bool = False
    unsaturated: bool = False
    epsilons: bool = False
    rhos: bool = False
    queried: bool = False
    sources: Sequence[str] = (ZIPF,)
    beside: Sequence[str] = ()


def skewed(alpha: float) -> bool:
    """Is it one of the paper's first experiments (sections 3 to 5.2)?"""
    return alpha >= 1.5


BOTH, TUNED, BLOCKING = ("shared", "cooperative"), ("shared", "auto-tuned"), ("shared-blocking",)
FIGURES = {
    "1": Needs(("independent",), skewed, profiled=True),
    "2": Needs(("shared",), skewed, profiled=True, beside=BLOCKING),
    "5": Needs(BOTH, skewed, beside=BLOCKING),
    "6": Needs(BOTH, skewed, beside=BLOCKING),
    "7": Needs(BOTH, skewed, unsaturated=True, beside=BLOCKING),
    "8": Needs(TUNED, lambda alpha: alpha in (0.5, 1.0, 1.5, 2.5), beside=BLOCKING),
    **{name: Needs(("cooperative",), skewed, profiled=True) for name in ("9a", "9b", "9c")},
    **{name: Needs(("auto-tuned",), profiled=True) for name in ("10a", "10b", "10c")},
    "updates": Needs(),
    "sources": Needs(sources=OTHERS),
    "accuracy-epsilon": Needs(epsilons=True, sources=SOURCES),
    "accuracy-skew": Needs(),
    "accuracy-streams": Needs(sources=SOURCES),
    "queries": Needs(shown=lambda alpha: alpha == 1.5, queried=True, sources=SOURCES),
    "tuning": Needs(("auto-tuned",), rhos=True),
}
"""Those of the paper by their numbers, and those that it has not."""


def chosen(names: Sequence[str]) -> tuple[str, ...]:
    """The figures of these names; 9 means 9a, 9b and 9c. Raises OptionError for one that is not there."""
    for name in names:
        if not any(name in (each, each.rstrip("abc")) for each in FIGURES):
            raise OptionError(f"there is no figure {name}: choose from {', '.join(FIGURES)}.")
    return tuple(each for each in FIGURES if each in names or each.rstrip("abc") in names)


def laws(axes: Axes) -> list[Law]:
    """Of which streams are made."""
    return [(source, alpha) for source in axes.sources for alpha in (axes.alphas if source == ZIPF else (None,))]


def points(axes: Axes) -> list[TopkPoint]:
    """Every point that one of the figures needs, once; by α, ε, threads and design."""
    shown = [FIGURES[name] for name in axes.figures]

    def usual(design: str) -> int:
        return axes.query_every if DESIGNS[design].merges else 0

    def needed(point: TopkPoint) -> bool:
        return any(
            (not each.designs or point.design in (*each.designs, *each.beside))
            and point.source in each.sources
            and (point.alpha is None or each.shown(point.alpha))
            and (each.profiled or not point.instrumented)
            and (each.unsaturated or point.failing == 0)
            and (each.epsilons or point.epsilon == axes.epsilons[0])
            and (each.rhos or point.rho in (0, axes.rhos[0]))
            and (point.query_every > 0 if each.queried else point.query_every == usual(point.design))
            for each in shown
        )

    every = (
        TopkPoint(design, count, alpha, probability, instrumented, epsilon, rho, query_every, source)
        for source, alpha in laws(axes)
        for epsilon in axes.epsilons
        for count in axes.streams
        for probability in axes.failing
        for instrumented in (False, True)
        for design in axes.designs
        if not instrumented or (DESIGNS[design].profiled and probability == 0)
        for rho in (axes.rhos if DESIGNS[design].tuned else (0,))
        for query_every in dict.fromkeys((usual(design), axes.query_every))
    )
    return [point for point in every if needed(point)]

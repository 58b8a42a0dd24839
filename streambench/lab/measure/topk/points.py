"""What is measured, and for which of paper 002's figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from streambench.errors import OptionError
from streambench.lab.measure.topk.designs import DESIGNS
from streambench.lab.record.topk_summary import described


class TopkPoint(NamedTuple):
    """``threads``: and streams. ``failing``: the probability that a read finds no item. ``instrumented``: the time of
    operations is taken, which takes time.
    """

    design: str
    threads: int
    alpha: float
    failing: float
    instrumented: bool

    def title(self) -> str:
        """``shared, 4 threads, α 1.5``."""
        return f"{described(self.design, self.threads, self.alpha, self.failing)}{', profile' * self.instrumented}"


@dataclass(frozen=True)
class Needs:
    """What a figure shows: these ``designs`` (all where there are none) at the values of α that are ``shown``.

    ``profiled``: also their profiles; ``unsaturated``: also where reads fail.
    """

    designs: Sequence[str] = ()
    shown: Callable[[float], bool] = lambda alpha: True
    profiled: bool = False
    unsaturated: bool = False


def skewed(alpha: float) -> bool:
    """Is it one of the paper's first experiments (sections 3 to 5.2)?"""
    return alpha >= 1.5


BOTH, TUNED = ("shared", "cooperative"), ("shared", "auto-tuned")
FIGURES = {
    "1": Needs(("independent",), skewed, profiled=True),
    "2": Needs(("shared",), skewed, profiled=True),
    "5": Needs(BOTH, skewed),
    "6": Needs(BOTH, skewed),
    "7": Needs(BOTH, skewed, unsaturated=True),
    "8": Needs(TUNED, lambda alpha: alpha in (0.5, 1.0, 1.5, 2.5)),
    **{name: Needs(("cooperative",), skewed, profiled=True) for name in ("9a", "9b", "9c")},
    **{name: Needs(("auto-tuned",), profiled=True) for name in ("10a", "10b", "10c")},
    "updates": Needs(),
}
"""Those of the paper by their numbers, and one of all designs."""


def chosen(names: Sequence[str]) -> tuple[str, ...]:
    """The figures of these names; 9 means 9a, 9b and 9c. Raises OptionError for one that is not there."""
    for name in names:
        if not any(name in (each, each.rstrip("abc")) for each in FIGURES):
            raise OptionError(f"there is no figure {name}: choose from {', '.join(FIGURES)}.")
    return tuple(each for each in FIGURES if each in names or each.rstrip("abc") in names)


def points(
    designs: Sequence[str],
    alphas: Sequence[float],
    threads: Sequence[int],
    failing: Sequence[float],
    figures: Sequence[str],
) -> list[TopkPoint]:
    """Every point that one of the figures needs, once; by α, threads and design."""
    shown = [FIGURES[name] for name in figures]

    def needed(point: TopkPoint) -> bool:
        return any(
            (not each.designs or point.design in each.designs)
            and each.shown(point.alpha)
            and (each.profiled or not point.instrumented)
            and (each.unsaturated or point.failing == 0)
            for each in shown
        )

    every = (
        TopkPoint(design, count, alpha, probability, instrumented)
        for alpha in alphas
        for count in threads
        for probability in failing
        for instrumented in (False, True)
        for design in designs
        if not instrumented or (DESIGNS[design].profiled and probability == 0)
    )
    return [point for point in every if needed(point)]

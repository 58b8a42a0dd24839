"""A case: things that are measured side by side, and the rows that are made of them; its record is plain values.

A record has `section`, `title`, `case`, `series` (each `name`, `unit` and `values`, one a repeat), `rows` (each `what`,
`how`, `of`, `to`, `unit`, `target`, `at_most`, `of_processor`, `note`; see `streambench.lab.record.perf_summary`) and
`core_round_trip_ns`; where runs were followed over time, `tracks` (see `streambench.lab.measure.perf.passage`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from streambench.lab.measure.perf import targets
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.record.perf_summary import TIMES

NS = "ns per tuple"

Tell = Callable[[str], None]
"""Called with what is being measured."""


class Measured:
    """The series of a case and the rows made of them, as they come in.

    ``distances``: the cores' round trips, in ns, as `interleave` finds them.
    """

    def __init__(self, section: str) -> None:
        self.section = section
        self.series: list[dict[str, Any]] = []
        self.rows: list[dict[str, Any]] = []
        self.distances: list[float] = []
        self.tracks: list[dict[str, Any]] = []

    def keep(self, found: Mapping[str, Sequence[float]], unit: str) -> None:
        """Keep the values of several things, in the order in which they were measured."""
        for name, values in found.items():
            self.series.append({"name": name, "unit": unit, "values": list(values)})

    def median(self, what: str, of: str, unit: str, *, note: str = "") -> None:
        """A row: the median of a series."""
        self._row(what, "median", of, None, unit, note)

    def ratio(self, what: str, of: str, to: str, *, note: str = "", judged: bool = True) -> None:
        """A row: how many times the second series the first is, pair by pair. Not ``judged``: it has no target."""
        self._row(what, "ratio", of, to, TIMES, note, judged)

    def excess(self, what: str, of: str, to: str, unit: str, *, note: str = "") -> None:
        """A row: by how much the first series is above the second, pair by pair."""
        self._row(what, "excess", of, to, unit, note)

    def _row(self, what: str, how: str, of: str, to: str | None, unit: str, note: str, judged: bool = True) -> None:
        target = targets.find(self.section, what) if judged else None
        wanted = {
            "target": target and target.wanted,
            "at_most": target is not None and target.at_most,
            "of_processor": target is not None and target.of_processor,
        }
        self.rows.append({"what": what, "how": how, "of": of, "to": to, "unit": unit, **wanted, "note": note})


@dataclass(frozen=True)
class Case:
    """``name``: of what is measured; ``measure``: does it, and puts what it finds into a `Measured`."""

    name: str
    measure: Callable[[Measured, Tell], None]


class Section(Protocol):
    """What the modules in ``sections/`` have.

    ``NAME``: on the command line; ``TITLE``: above its rows; ``NEEDS_DATA``: without data there is nothing to measure.
    """

    NAME: str
    TITLE: str
    NEEDS_DATA: bool

    def cases(self, settings: Settings) -> list[Case]:
        """All that it measures."""


def record(section: Section, case: Case, tell: Tell) -> dict[str, Any]:
    """Measure a case; its record."""
    found = Measured(section.NAME)
    case.measure(found, tell)
    return {
        "section": section.NAME,
        "title": section.TITLE,
        "case": case.name,
        "series": found.series,
        "rows": found.rows,
        "core_round_trip_ns": found.distances,
        **({"tracks": found.tracks} if found.tracks else {}),
    }

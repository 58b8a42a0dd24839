"""A case: things that are measured side by side, and the rows that are made of them; its record is plain values.

A record has `section`, `title`, `case`, `series` (each `name`, `unit` and `values`, one a repeat), `rows` (each `what`,
`how`, `of`, `to`, `unit`, `target`, `at_most`, `of_processor`, `note`; see `streambench.lab.record.perf_summary`) and
`core_round_trip_ns`; where runs were followed over time, `tracks` (see `streambench.lab.measure.perf.passage`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from streambench.lab.measure.perf import targets
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.record.perf_summary import TIMES

NS = "ns per tuple"
SECTIONS = "streambench.lab.measure.perf.sections"

Tell = Callable[[str], None]
"""Called with what is being measured."""
Values = Mapping[str, Sequence[float]]
"""Of each thing by its name the values, one a repeat."""


@dataclass(frozen=True)
class Row:
    """The median of the series ``of`` or, with ``to``, how many times the second series it is, pair by pair; as an
    ``excess``, by how much it is above that one.

    ``note``: words, or what makes them of the series. Not ``judged``: it has no target.
    """

    what: str
    of: str
    to: str | None = None
    unit: str = TIMES
    how: Literal["ratio", "excess"] = "ratio"
    note: str | Callable[[Values], str] = ""
    judged: bool = True


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

    def keep(self, values_by_name: Values, unit: str) -> None:
        """Keep the values of several things, in the order in which they were measured."""
        for name, values in values_by_name.items():
            self.series.append({"name": name, "unit": unit, "values": list(values)})

    def add(self, rows: Iterable[Row]) -> None:
        """Rows of series that are kept, each with its target."""
        values_by_name = {each["name"]: each["values"] for each in self.series}
        for row in rows:
            target = targets.find(self.section, row.what) if row.judged else None
            self.rows.append(
                {
                    "what": row.what,
                    "how": "median" if row.to is None else row.how,
                    "of": row.of,
                    "to": row.to,
                    "unit": row.unit,
                    "target": target and target.value,
                    "at_most": target is not None and target.at_most,
                    "of_processor": target is not None and target.of_processor,
                    "note": row.note if isinstance(row.note, str) else row.note(values_by_name),
                }
            )


@dataclass(frozen=True)
class PerfCase:
    """``name``: of what is measured; ``measure``: does it, and puts what it finds into a `Measured`."""

    name: str
    measure: Callable[[Measured, Tell], None]


@dataclass(frozen=True)
class Section:
    """``name``: on the command line; ``title``: above its rows; ``place``: the module of ``sections`` and the function
    that gives its cases. ``needs_data``: without data there is nothing to measure.
    """

    name: str
    title: str
    place: str
    needs_data: bool = False

    def cases(self, settings: PerfSettings) -> Sequence[PerfCase]:
        """All that it measures."""
        module, _, function = self.place.partition(".")
        cases: Sequence[PerfCase] = getattr(import_module(f"{SECTIONS}.{module}"), function)(settings)
        return cases


def record(section: Section, case: PerfCase, tell: Tell) -> dict[str, Any]:
    """Measure a case; its record."""
    measured = Measured(section.name)
    case.measure(measured, tell)
    return {
        "section": section.name,
        "title": section.title,
        "case": case.name,
        "series": measured.series,
        "rows": measured.rows,
        "core_round_trip_ns": measured.distances,
        **({"tracks": measured.tracks} if measured.tracks else {}),
    }

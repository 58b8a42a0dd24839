"""All cases of the chosen sections, measured one after the other; those of an earlier call are kept."""

from __future__ import annotations

from functools import partial
from typing import Any

from streambench.errors import OptionError
from streambench.lab.data import data_description
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure import kept_records
from streambench.lab.measure.kept_records import KeptRecords, Report
from streambench.lab.measure.perf import sections
from streambench.lab.measure.perf.case import Case, Section, record
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.record.journal import Journal, Memory, Record

KIND = "perf"


def perf(
    settings: Settings,
    report: Report = lambda what, fraction: None,
    *,
    journal: Journal | Memory | None = None,
    call: Record | None = None,
) -> dict[str, Any]:
    """Measure and return a result document; ``journal`` and ``call`` as in ``kept_records.measured``.

    Raises StreambenchError for a run that was wrong.
    """
    chosen = cases(settings)

    def runs(kept: KeptRecords) -> list[Record]:
        found = []
        for done, (section, case) in enumerate(chosen):
            key = f"{section.name}: {case.name}"
            settings.limit.begin_part(len(chosen) - done)
            if key not in kept and settings.limit.part_is_over:
                continue
            found.append(kept.run(key, partial(_measured, settings, section, case, report, done / len(chosen))))
        return found

    data = {} if settings.data is None else data_description.describe(Catalog.open(settings.data))
    return kept_records.measured(KIND, settings, runs, journal, call, data, settings.limit)


def cases(settings: Settings) -> list[tuple[Section, Case]]:
    """Every case that the settings ask for, with its section. Raises OptionError where none is."""
    chosen = [sections.SECTIONS[name] for name in settings.sections]
    found = [(section, case) for section in chosen for case in section.cases(settings)]
    if settings.case and not any(settings.case in case.name for _, case in found):
        raise OptionError(
            f"no case is called {settings.case!r}: choose from {', '.join(case.name for _, case in found)}."
        )
    return [(section, case) for section, case in found if settings.case in case.name]


def _measured(settings: Settings, section: Section, case: Case, report: Report, fraction: float) -> Record:
    found = record(section, case, lambda what: report(f"{section.name}: {case.name}, {what}", fraction))
    settings.limit.ran()
    return found

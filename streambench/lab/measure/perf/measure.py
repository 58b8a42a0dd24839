"""All cases of the chosen sections, measured one after the other; those of an earlier call are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from streambench.errors import OptionError
from streambench.lab.host import interrupts
from streambench.lab.measure.perf import sections
from streambench.lab.measure.perf.case import Case, Section, record
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.record import journaled_document
from streambench.lab.record.journal import Journal, Memory, Record

Report = Callable[[str, float], None]
"""Called with what is being done and the fraction of the cases that is done."""


def perf(
    settings: Settings,
    names: Sequence[str],
    parameters: Mapping[str, Any],
    report: Report = lambda what, fraction: None,
    *,
    journal: Journal | Memory | None = None,
    call: Record | None = None,
) -> dict[str, Any]:
    """Measure the sections of these names and return a result document (see ``streambench.lab.record.results``).

    ``parameters`` describe the data and go into the document as they are. ``journal``: a finished case goes there at
    once, and what is there already is not measured again. ``call``: the record with which this call begins; left out,
    the machine is looked at now. Raises StreambenchError for a run that was wrong, and where the journal cannot be
    written.
    """
    journal = journal or Memory()
    journal.append(call or journaled_document.begin())
    kept = {(each["section"], each["case"]): each["record"] for each in journal.records if each["step"] == "case"}
    chosen = cases(settings, names)
    runs = []
    for done, (section, case) in enumerate(chosen):
        settings.limit.begin_part(len(chosen) - done)
        if (section.name, case.name) not in kept:
            if settings.limit.part_is_over:
                continue
            measured = record(section, case, _tell(report, section, case, done / len(chosen)))
            settings.limit.ran()
            with interrupts.held():  # what is on disk is kept: a message that counts must not say otherwise
                journal.append({"step": "case", "section": section.name, "case": case.name, "record": measured})
            kept[section.name, case.name] = measured
        runs.append(kept[section.name, case.name])
    journal.append(settings.limit.record(runs))
    journal.append(journaled_document.end())
    told = {**parameters, "sections": list(names), **settings.plain()}
    return journaled_document.document("perf", told, runs, journal.records)


def cases(settings: Settings, names: Sequence[str]) -> list[tuple[Section, Case]]:
    """Every case of these sections that the settings ask for, with its section. Raises OptionError where none is."""
    chosen = [sections.SECTIONS[name] for name in names]
    found = [(section, case) for section in chosen for case in section.cases(settings)]
    if settings.case and not any(settings.case in case.name for _, case in found):
        raise OptionError(
            f"no case is called {settings.case!r}: choose from {', '.join(case.name for _, case in found)}."
        )
    return [(section, case) for section, case in found if settings.case in case.name]


def _tell(report: Report, section: Section, case: Case, fraction: float) -> Callable[[str], None]:
    return lambda what: report(f"{section.name}: {case.name}, {what}", fraction)

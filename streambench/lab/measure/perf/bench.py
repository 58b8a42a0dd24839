"""`streambench bench perf`: all cases of the chosen sections, measured one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from streambench.errors import OptionError
from streambench.lab.measure.frame import Bench, BenchCall
from streambench.lab.measure.kept_records import Report
from streambench.lab.measure.perf import sections
from streambench.lab.measure.perf.case import PerfCase, Section, record
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.record.journal import Record


class PerfBench(PerfSettings, Bench):
    """The frame's data and limit take the place of the settings' own."""

    kind = "perf"
    growing = ("sections", "case", "queries")

    def plain(self) -> dict[str, Any]:
        """All of it as plain values: two are the same if and only if these are equal."""
        return {**super().plain(), "queries": list(self.queries)}

    def parameters(self, call: BenchCall, runs: Sequence[Record]) -> dict[str, Any]:
        """What a result says of it."""
        return PerfSettings.plain(self._of(call))

    def runs(self, call: BenchCall) -> list[Record]:
        """Case by case, as long as there is time. Raises StreambenchError for a run that was wrong."""
        settings = self._of(call)
        chosen = cases(settings)
        records = []
        for done, (section, case) in enumerate(chosen):
            key = f"{section.name}: {case.name}"
            call.limit.begin_part(len(chosen) - done)
            in_part = f"{key}, in part"
            if call.kept("run", key) is None and call.limit.part_is_over:
                records += [kept] if (kept := call.kept("run", in_part)) else []
                continue
            if call.kept("run", key) is None:
                case_record = _measured(settings, section, case, call.tell, done / len(chosen))
                # Another call measures again what the limit has cut.
                call.run(in_part if call.limit.is_up else key, partial(dict, case_record))
                records.append(case_record)
            else:
                records.append(call.kept("run", key) or {})
        return records

    def _of(self, call: BenchCall) -> PerfSettings:
        catalog = call.data.catalog
        return replace(self, data=None if catalog is None else catalog.path, limit=call.limit)


def cases(settings: PerfSettings) -> list[tuple[Section, PerfCase]]:
    """Every case that the settings ask for, with its section. Raises OptionError where none is."""
    chosen = [sections.SECTIONS[name] for name in settings.sections]
    pairs = [(section, case) for section in chosen for case in section.cases(settings)]
    for text in settings.case:
        if not any(text in case.name for _, case in pairs):
            raise OptionError(f"no case is called {text!r}: choose from {', '.join(case.name for _, case in pairs)}.")
    return [each for each in pairs if not settings.case or any(text in each[1].name for text in settings.case)]


def _measured(settings: PerfSettings, section: Section, case: PerfCase, report: Report, fraction: float) -> Record:
    case_record = record(section, case, lambda what: report(f"{section.name}: {case.name}, {what}", fraction))
    settings.limit.ran()
    return case_record

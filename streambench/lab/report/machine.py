"""The machines that the results come from, what spoiled a measurement, and how it was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from streambench.lab.host.machine import title
from streambench.lab.record.interval_text import percent
from streambench.lab.record.statistics import CONFIDENCE, FEWEST_REPEATS
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import RUN, NamedDocument
from streambench.lab.report.section import MIB, Block, Table
from streambench.lab.show.table import Column

FACT = (Column("what", itemgetter(0)), Column("value", itemgetter(1)))
METHOD = (
    "Compared with what: every bench carries the engine serial, which runs the same operators in one thread.",
    "Checked: the output sequence of every timed run must be the serial engine's, and the answer SQL's. Whatever gave "
    "a wrong answer has no number.",
    "Interleaved: repeats run A B B A over all configurations, and ratios are taken within a repeat.",
    "Intervals are of order statistics, exact whatever the values are distributed like; their heading says how surely "
    f"they cover the median, {percent(CONFIDENCE)} at least. Fewer than {FEWEST_REPEATS} repeats have none, "
    "and no verdict follows: it cannot be told.",
    "Absolute numbers belong to their machine. Ratios of runs side by side say more than numbers of two results.",
    "Derived from TPCx-BB, not a TPC result.",
)


def machines(documents: Sequence[NamedDocument], _: Drawing) -> Iterator[Block]:
    """A table for each machine that tells itself from the others, and every warning."""
    by_machine: dict[str, list[NamedDocument]] = {}
    for each in documents:
        by_machine.setdefault(str(sorted(_facts(each.document["machine"]))), []).append(each)
    for same in by_machine.values():
        machine = same[0].document["machine"]
        warned = [f"{each.title}: {warning}." for each in same for warning in each.document.get("warnings") or ()]
        names = ", ".join(each.title for each in same)
        table = Table.of(title(machine), FACT, _facts(machine))
        yield Block(title(machine), (f"Of {names}.", *warned), (), (table,))


def method(documents: Sequence[NamedDocument], _: Drawing) -> Iterator[Block]:
    """How numbers came about, and the settings of every result."""
    tables = [
        Table.of(f"Settings of {each.title}", FACT, _settings(each.document)) for each in documents if each.kind != RUN
    ]
    yield Block("", METHOD, (), tables)


def _facts(machine: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What does not change from one minute to the next."""
    cpu = machine["cpu"]
    facts = [(name, cpu[name]) for name in ("model", "architecture", "logical", "physical", "smt") if name in cpu]
    facts += [("cores that may be used", len(cpu["allowed"]))]
    facts += [(name, cpu[name]) for name in ("quota", "numa_nodes", "governor", "boost", "hypervisor") if name in cpu]
    facts += [(name, _cache(cache)) for name, cache in (cpu.get("caches") or {}).items()]
    memory = (machine.get("memory") or {}).get("total")
    facts += [("memory", f"{memory / MIB:,.0f} MiB")] if isinstance(memory, int | float) else []
    facts += list((machine.get("os") or {}).items())
    facts += [(name, version) for name, version in (machine.get("versions") or {}).items()]
    return [(name.replace("_", " "), str(value)) for name, value in facts if value is not None]


def _cache(cache: Mapping[str, Any]) -> str:
    return f"{cache['instances']} of {cache['bytes'] / 1024:,.0f} KiB"


def _settings(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "streambench", f"{document['version']}{' ' + document['git'] if document.get('git') else ''}"
    for name, value in document["parameters"].items():
        if value not in (None, [], ""):
            yield name.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list) else value

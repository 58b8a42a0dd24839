"""Whether two results may be compared: one machine, one set of data. The programs are what is compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.record import join_summary, peers_summary, rate_search_summary, simulation_summary, topk_summary
from streambench.lab.record.kind_command import command_of

PROCESSOR = ("model", "architecture", "logical", "physical", "quota", "smt", "governor", "boost")
"""Of ``machine["cpu"]``: what changes how fast a program runs on it."""
DATA = ("data_sha256", "scale_factor", "days", "seed", "data_profile", "epsilon", "alphabet")
KINDS = (
    *("bench", "sweep", "perf", join_summary.KIND, topk_summary.KIND),
    *(peers_summary.KIND, rate_search_summary.KIND, simulation_summary.KIND),
)
"""Of results that have something to compare."""

Document = Mapping[str, Any]


def check_kinds(base: Document, new: Document) -> None:
    """Raise StreambenchError for results of two kinds, which have nothing in common, and for kinds that are not
    compared: comparisons by themselves, for one."""
    kinds = [str(each.get("kind")) for each in (base, new)]
    if kinds[0] != kinds[1]:
        raise StreambenchError(
            f"a result of `{command_of(kinds[0])}` cannot be compared with one of `{command_of(kinds[1])}`: "
            "name two of one command"
        )
    if kinds[0] not in KINDS:
        raise StreambenchError(
            f"results of the kind {kinds[0]} are not compared: name two of the kind {', '.join(KINDS[:-1])} or "
            f"{KINDS[-1]}"
        )


def differences(base: Document, new: Document) -> list[str]:
    """In what their machines and data are unlike, in words; empty where nothing tells them apart."""
    first, second = _cpu(base), _cpu(new)
    facts = [
        f"{'processor' if name == 'model' else name} {_word(first.get(name))} and {_word(second.get(name))}"
        for name in PROCESSOR
        if first.get(name) != second.get(name)
    ]
    allowed = [len(each.get("allowed") or ()) for each in (first, second)]
    if allowed[0] != allowed[1]:
        facts.append(f"{allowed[0]} and {allowed[1]} cores that may be used")
    data = [each.get("parameters") or {} for each in (base, new)]
    if any(data[0].get(name) != data[1].get(name) for name in DATA):
        named = [_word(each.get("data")) for each in data]
        facts.append(f"data {named[0]} and {named[1]}" if named[0] != named[1] else f"data of the one name {named[0]}")
    return facts


def _cpu(document: Document) -> Mapping[str, Any]:
    cpu: Mapping[str, Any] = (document.get("machine") or {}).get("cpu") or {}
    return cpu


def _word(value: Any) -> str:
    return "unknown" if value is None else str(value)

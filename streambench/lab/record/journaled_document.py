"""A result document of what was measured, in one call or in several that went on with one journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streambench.execution import warm_up
from streambench.host import core_distance, disturbance
from streambench.lab.host import neighbours, pins
from streambench.lab.host.machine import describe, warnings
from streambench.lab.record import results
from streambench.lab.record.journal import Record


def begin() -> Record:
    """The record with which a call begins: the machine as it is now, and what about it spoils a measurement.

    ``busy``: a sentence where others use the cores; it is one of the warnings.
    """
    machine, busy = describe(), neighbours.warning("before the start")
    spoilt = [*warnings(machine), *([busy] if busy else [])]
    return {"step": "begun", "machine": machine, "warnings": spoilt, "busy": busy}


def end() -> Record:
    """The record with which a call ends: whether the machine is busy now, when nothing is measured any more."""
    busy = neighbours.warning("after the last run")
    return {"step": "ended", "warnings": [busy] if busy else []}


def document(
    kind: str, parameters: Mapping[str, Any], runs: Sequence[Record], records: Sequence[Record]
) -> dict[str, Any]:
    """The document of ``runs``. ``records``: the whole journal, which tells of every call that took part."""
    calls = [record for record in records if record["step"] == "begun"]
    ends = [record for record in records if record["step"] == "measured"]  # how calls before the last ended is mended
    told = (each for each in records if each["step"] != "measured" or each is ends[-1])
    spoilt = list(dict.fromkeys(warning for each in told for warning in each.get("warnings", ())))
    if len(calls) > 1:
        spoilt.append(f"the {kind} was measured in {len(calls)} calls: what the machine did in between is not known")
    moved = core_distance.warning([distance for run in runs for distance in _distances(run["core_round_trip_ns"])])
    loose = pins.warning(core for run in runs for core in run.get("unpinned", ()))  # a journal of before has none
    beside = disturbance.warning(run.get("host") for run in runs)
    restless = warm_up.warning(run.get("steadiness") for run in runs if not run.get("rate"))
    spoilt += [each for each in (moved, loose, beside, restless) if each]
    return results.document(kind, {**parameters, "calls": len(calls)}, runs, calls[0]["machine"], spoilt)


def _distances(distances: float | list[float] | None) -> list[float]:
    """Of a run, or of a case with several."""
    return distances if isinstance(distances, list) else [distances] if distances else []

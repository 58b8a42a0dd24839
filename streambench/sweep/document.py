"""A finished sweep as a result document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streambench import core_distance, results
from streambench.sweep import summary
from streambench.sweep.journal import Record
from streambench.sweep.plan import Plan


def document(
    plan: Plan, runs: Sequence[Record], records: Sequence[Record], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """The document of ``runs``. ``records``: the whole journal, which tells of every call that took part."""
    calls = [record for record in records if record["step"] == "begun"]
    spoilt = list(dict.fromkeys(warning for call in calls for warning in call["warnings"]))
    if len(calls) > 1:
        spoilt.append(f"the sweep was measured in {len(calls)} calls: what the machine did in between is not known")
    moved = core_distance.warning([run["core_round_trip_ns"] for run in runs if run["core_round_trip_ns"]])
    chosen = {**parameters, **plan.settings(), "calls": len(calls), "points": len(runs)}
    made = results.document("sweep", chosen, runs, calls[0]["machine"], spoilt + ([moved] if moved else []))
    return {**made, "summary": summary.rows(runs)}

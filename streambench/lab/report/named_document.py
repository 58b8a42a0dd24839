"""What a report is made of: result files, and runs of `streambench run --json`, of which some have a timeline."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from streambench.errors import StreambenchError
from streambench.lab.record import (
    gate_summary,
    join_summary,
    peers_summary,
    rate_search_summary,
    results,
    simulation_summary,
    topk_summary,
    validation_summary,
)

RUN = "run"
WHOLLY_SIMULATED, PARTLY_SIMULATED = "simulated, not measured", "partly simulated"
KNOWN = (
    *("bench", "sweep", "perf", join_summary.KIND, topk_summary.KIND, rate_search_summary.KIND),
    *(peers_summary.KIND, gate_summary.KIND, simulation_summary.KIND, RUN),
)
"""The kinds that have sections of their own."""


class NamedDocument(NamedTuple):
    """A document by the name of its file. ``kind``: as in the document; RUN for a single run."""

    name: str
    kind: str
    document: Mapping[str, Any]

    @property
    def simulated(self) -> str:
        """In words, where any of it was; nothing of what was measured."""
        if (self.document.get("parameters") or {}).get("simulated") is True:
            return WHOLLY_SIMULATED
        return PARTLY_SIMULATED if self.kind == validation_summary.KIND else ""

    @property
    def title(self) -> str:
        """The file's name without its ending, and whether it was simulated."""
        return f"{self.name.removesuffix('.json')}{f' ({self.simulated})' if self.simulated else ''}"


def read(paths: Sequence[Path]) -> list[NamedDocument]:
    """The documents, oldest first. Raises StreambenchError for what is neither a result nor a run."""
    documents = [_read(path) for path in paths]
    return sorted(documents, key=lambda each: str(each.document.get("created", "")))


def simulated_sentence(documents: Sequence[NamedDocument]) -> str:
    """A sentence: what of the results was measured, and what simulated."""
    simulated = [each for each in documents if each.simulated]
    if not simulated:
        return "Everything was measured, nothing simulated."
    where = "; ".join(each.title for each in simulated)
    rest = "Everything else was measured." if len(simulated) < len(documents) else ""
    return f"Not everything was measured: {where}. {rest}".rstrip()


def of_kind(documents: Sequence[NamedDocument], *kinds: str) -> list[NamedDocument]:
    return [each for each in documents if each.kind in kinds]


def _read(path: Path) -> NamedDocument:
    run = _run(path)
    if run is not None:
        return NamedDocument(path.name, RUN, run)
    document = results.read(path)
    return NamedDocument(path.name, str(document["kind"]), document)


def _run(path: Path) -> dict[str, Any] | None:
    """The run that a file of `streambench run --json` holds; None for any other."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None  # the reader of results has the words
    if not isinstance(content, dict) or "runs" in content or not {"query", "profile", "timeline"} <= content.keys():
        return None
    if content.get("schema") != results.SCHEMA:
        raise StreambenchError(f"{path} is a run of another version: run it again with this one")
    return content

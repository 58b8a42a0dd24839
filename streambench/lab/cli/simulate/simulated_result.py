"""The result of a simulated sweep that belongs beside a measured one, and the other way round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.figures.selection import KIND
from streambench.lab.record import results
from streambench.lab.record.kind_command import command_of
from streambench.lab.record.newest_result import all_of, newest, result_path
from streambench.lab.record.simulation_summary import KIND as SIMULATION
from streambench.lab.record.validation_summary import KIND as VALIDATION

NONE = "none"


def simulated_beside(path: Path, named: str | None) -> dict[str, Any] | None:
    """As ``named``, or the newest in the sweep's folder whose operators cost what was measured; None where there is
    none. Raises StreambenchError for a file of another kind."""
    if named == NONE:
        return None
    if named is not None:
        return _of_kind(result_path(named, (SIMULATION,)), SIMULATION, "--simulated")
    for each in reversed(all_of(path.parent, (SIMULATION,))):
        document = results.read(each)
        if document["parameters"].get("costs") == "measured":
            return document
    return None


def measured_beside(path: Path, named: str | None) -> dict[str, Any] | None:
    """As ``named``, or the newest sweep in the simulated one's folder; None where there is none. Raises as above."""
    if named == NONE:
        return None
    if named is not None:
        return _of_kind(result_path(named, (KIND,)), KIND, "--measured")
    return _newest_beside(path, KIND)


def validation_beside(path: Path) -> dict[str, Any] | None:
    """The newest comparison of the simulator with real runs in the simulated sweep's folder; None: there is none."""
    return _newest_beside(path, VALIDATION)


def _newest_beside(path: Path, kind: str) -> dict[str, Any] | None:
    try:
        place = newest(path.parent, (kind,))
    except StreambenchError:
        return None
    return results.read(place)


def _of_kind(path: Path, kind: str, option: str) -> dict[str, Any]:
    document = results.read(path)
    if document.get("kind") != kind:
        raise StreambenchError(
            f"{option} names a result of `{command_of(kind)}`, and this is one of {document.get('kind')}"
        )
    return document

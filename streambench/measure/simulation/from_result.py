"""What another simulated sweep has measured, taken from its result, so that nothing is measured again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from streambench.errors import OptionError, StreambenchError
from streambench.measure.simulation.settings import Settings
from streambench.measure.simulation.simulate import Simulation
from streambench.measure.sweep.product import Comparison
from streambench.measure.sweep.schedule import Point, sized
from streambench.record import results
from streambench.record.journal import Record
from streambench.record.simulation_summary import KIND
from streambench.simulate.kept_profile import restored
from streambench.simulate.times import Times


def read(path: Path) -> dict[str, Any]:
    """The result of `sweep --simulated` in a file. Raises StreambenchError for one of another kind, and for one that
    lacks something of what was measured."""
    document = results.read(path)
    if document.get("kind") != KIND:
        raise StreambenchError(
            f"--profiles names a result of `streambench sweep --simulated`, and this is one of {document.get('kind')}"
        )
    with results.whole(path, "what was measured is not told"):
        try:
            Times(**document["parameters"]["times_ns"])
        except OptionError as error:
            raise StreambenchError(f"{path} is not a whole result file: {error}") from error
        for profile in document["parameters"]["profiles"]:
            restored(*(profile[name] for name in ("samples", "tuples", "seconds", "interrupted")))
            str(profile["key"])
        for run in document["runs"]:
            _key(run)
    return document


def feed(simulation: Simulation, document: Mapping[str, Any]) -> None:
    """Give ``simulation`` the profiles, the machine's times and the serial engine's runs of a result.

    Raises StreambenchError where it has not measured all that is wanted.
    """
    parameters = document["parameters"]
    profiles = {
        each["key"]: {name: value for name, value in each.items() if name != "key"} for each in parameters["profiles"]
    }
    measured = {_key(run): run for run in document["runs"] if not run["simulated"]}
    serial: dict[Point, Record] = {}
    for point in simulation.settings.schedule.points():
        options = simulation.settings.schedule.options(point)
        comparison = simulation.settings.schedule.comparisons[point.comparison]
        run = measured.get(_of(comparison, options.unit, point.repeat))
        if options.engine == "serial" and run is not None:
            serial[point] = _as_wanted(run, comparison, simulation.settings)
    simulation.feed(profiles, parameters["times_ns"], serial)


def _as_wanted(run: Record, comparison: Comparison, settings: Settings) -> Record:
    if isinstance(comparison.workload, str):
        return dict(run)
    return {**run, "micro": sized(comparison.workload, settings.micro_tuples(comparison)).to_dict()}


def _of(comparison: Comparison, unit: int | None, repeat: int) -> str:
    if isinstance(comparison.workload, str):
        return json.dumps([comparison.workload, None, unit, repeat])
    described = {**comparison.workload.to_dict(), "tuples": 0}
    return json.dumps([comparison.workload.name, described, unit, repeat], sort_keys=True)


def _key(run: Mapping[str, Any]) -> str:
    described = None if run["micro"] is None else {**run["micro"], "tuples": 0}
    return json.dumps([run["query"], described, run["unit"], run["repeat"]], sort_keys=True)

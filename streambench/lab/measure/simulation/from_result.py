"""What another simulated sweep has measured, taken from the file that kept it, so that nothing is measured again.

That file is the sweep's result with the profiles' samples, which the result itself does not hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from streambench.errors import OptionError, StreambenchError
from streambench.lab.measure.frame import BenchCall
from streambench.lab.measure.simulation.settings import SimulatedSchedule
from streambench.lab.measure.sweep.product import Comparison
from streambench.lab.measure.sweep.schedule import sized
from streambench.lab.record import results
from streambench.lab.record.journal import Record
from streambench.lab.record.simulation_summary import KIND
from streambench.lab.simulate.kept_profile import restored
from streambench.lab.simulate.times import Times

SAMPLES = "samples"
TIMES_KEY = "machine"
"""Of the journal's record of times."""


def read(path: Path) -> dict[str, Any]:
    """What `--profiles` kept in a file of `bench sweep`. Raises StreambenchError for a result of another kind, and for
    one that lacks something of what was measured."""
    document = results.read(path)
    if document.get("kind") != KIND:
        raise StreambenchError(
            "--profiles names what `streambench bench sweep --simulated --profiles` kept, and this is a result of "
            f"{document.get('kind')}"
        )
    with results.whole(path, "what was measured is not told"):
        try:
            Times(**document["parameters"]["times_ns"])
        except OptionError as error:
            raise StreambenchError(f"{path} is not a whole result file: {error}") from error
        profiles = document["parameters"]["profiles"]
        if not any(SAMPLES in each for each in profiles):
            raise StreambenchError(
                f"{path} holds no samples of its profiles: name the file that `bench sweep --simulated --profiles` kept"
            )
        for profile in profiles:
            restored(*(profile[name] for name in (SAMPLES, "tuples", "seconds", "interrupted")))
            str(profile["key"])
        for run in document["runs"]:
            _key(run)
    return document


def feed(call: BenchCall, schedule: SimulatedSchedule, document: Mapping[str, Any]) -> None:
    """Give ``call`` the profiles, the machine's times and the serial engine's runs of a result.

    Raises StreambenchError where it has not measured all that is wanted.
    """
    parameters = document["parameters"]
    profiles = {
        each["key"]: {name: value for name, value in each.items() if name != "key"} for each in parameters["profiles"]
    }
    measured = {_key(run): run for run in document["runs"] if not run["simulated"]}
    for point in schedule.schedule.points():
        comparison, key = schedule.schedule.comparisons[point.comparison], schedule.profile_key(point)
        unit = schedule.schedule.options(point).unit
        if schedule.is_serial(point) and (run := measured.get(_of(comparison, unit, point.repeat))) is not None:
            call.run(schedule.schedule.key(point), partial(_as_wanted, run, comparison, schedule))
        elif not schedule.is_serial(point) and key in profiles:
            call.step("profile", key, partial(dict, profiles[key]))
        else:
            raise StreambenchError(
                f"the result that --profiles names has not measured all of {comparison.name} that is to be simulated: "
                "choose what it has, with its --repeats, or leave --profiles out"
            )
    call.step("times", TIMES_KEY, partial(dict, parameters["times_ns"]))


def without_samples(profiles: Sequence[Record]) -> list[Record]:
    """What a result says of the profiles."""
    return [{name: value for name, value in each.items() if name != SAMPLES} for each in profiles]


def _as_wanted(run: Record, comparison: Comparison, schedule: SimulatedSchedule) -> Record:
    if isinstance(comparison.workload, str):
        return dict(run)
    return {**run, "micro": sized(comparison.workload, schedule.micro_tuples(comparison)).to_dict()}


def _of(comparison: Comparison, unit: int | None, repeat: int) -> str:
    if isinstance(comparison.workload, str):
        return json.dumps([comparison.workload, None, unit, repeat])
    described = {**comparison.workload.to_dict(), "tuples": 0}
    return json.dumps([comparison.workload.name, described, unit, repeat], sort_keys=True)


def _key(run: Mapping[str, Any]) -> str:
    described = None if run["micro"] is None else {**run["micro"], "tuples": 0}
    return json.dumps([run["query"], described, run["unit"], run["repeat"]], sort_keys=True)

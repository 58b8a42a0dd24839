"""Profiles of one workload in a file, with what cores take to share: measured once, read from then on.

>>> from streambench.lab.measure.simulation.kept_profiles import KeptProfiles
>>> kept = KeptProfiles("q1-profiles.json", workload)                               # doctest: +SKIP
>>> simulate(workload, options, [1, 16], times=kept.times, profiled=kept.profile)   # doctest: +SKIP
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from streambench.errors import OptionError, StreambenchError
from streambench.execution.settled import Settled
from streambench.lab import atomic_file
from streambench.lab.data import data_description
from streambench.lab.host.machine import describe, warnings
from streambench.lab.record import results
from streambench.lab.simulate.kept_profile import COLUMNS, KeptProfile, kept_runs, restored
from streambench.lab.simulate.profile import Profile, Simulable
from streambench.lab.simulate.times import Times, measure
from streambench.lab.workloads.micro import MicroWorkload
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.version import __version__

KIND = "profiles"
REQUIRED = ("samples", "tuples", "seconds", "interrupted", "key", "created", "version", "git")
OF_NO_COST = {
    *("workers", "rate", "arrivals", "arrival_seed", "preload", "markers", "pin", "place", "trace", "sort"),
    "read_ahead",
}
"""Options that do not change what one worker's pieces of work take, or that simulated runs have not."""


OTHERWISE = {
    "query": "holds profiles of {there}, not of {here}",
    "parameter_set": "is of the parameters {there}, not {here}",
    "micro": "is of other operators, or of another stream of them",
    "state_sha256": "is of {query} before its module or data changed",
}
"""What is said of a file whose identity differs."""


class KeptProfiles:
    """The profiles of ``workload`` in the file ``path``, a result document of the kind `profiles`.

    Where there is no such file, or it has no profile with the options that are asked for, that is measured and written
    to it at once. Fed with what was kept, every call simulates the same. Raises StreambenchError for a file that cannot
    be read, or is of another workload or other data.
    """

    def __init__(self, path: Path | str, workload: Simulable) -> None:
        self.path = Path(path)
        self.measured = 0  # profiles, by this object
        self._of = identity(workload)
        self._used: dict[str, Mapping[str, Any]] = {}
        self._document: dict[str, Any] | None = None
        if self.path.exists():
            self._document = results.read(self.path, "name another file with --profiles")
            _require(self.path, self._document, self._of)
        else:
            check_place(self.path)

    @cached_property
    def times(self) -> Times:
        """What cores take to share: as in the file, else measured now."""
        if self._document is None:
            return measure()
        return _times(self.path, self._document)

    def profile(self, workload: Simulable, settled: Settled) -> Profile:
        """That of ``workload`` with these options: as in the file, else measured now and written there. Raises
        StreambenchError where it would have to be added to those of another processor."""
        key = key_of(settled)
        profiles = {} if self._document is None else {each["key"]: each for each in self._profiles}
        if key not in profiles:
            profiles[key] = self._measure(workload, settled, key)
        self._used[key] = profiles[key]
        return _restored(self.path, profiles[key]).profile

    @property
    def warnings(self) -> list[str]:
        """A sentence where what was used is of another processor, and one where it is of another version."""
        if self._document is None:
            return []
        sentences = []
        there, here = _processor(self._document), _processor({"machine": describe()})
        if there != here:
            sentences.append(
                f"the profiles in {self.path} were measured on another processor ({there}) than this ({here})"
            )
        now = (__version__, results.commit())
        older = sorted({(each["version"], each["git"]) for each in self._used.values()} - {now}, key=str)
        if older:
            sentences.append(
                f"the profiles in {self.path} were measured with {', '.join(_version(*each) for each in older)}, and "
                f"this is {_version(*now)}: measure into another file where pieces of work may take something else now"
            )
        return sentences

    @property
    def about(self) -> dict[str, Any]:
        """What a document says of it: the file's name, when its profiles that were used were measured, and how many of
        them just now."""
        created = sorted({each["created"] for each in self._used.values()})
        return {"file": self.path.name, "created": created, "measured_now": self.measured}

    @property
    def _profiles(self) -> list[dict[str, Any]]:
        assert self._document is not None, "there is a file, or something was measured"
        profiles: list[dict[str, Any]] = self._document["parameters"]["profiles"]
        return profiles

    def _measure(self, workload: Simulable, settled: Settled, key: str) -> dict[str, Any]:
        machine = describe()
        if self._document is not None and _processor(self._document) != _processor({"machine": machine}):
            raise StreambenchError(
                f"{self.path} has no profile with these options and number of cores, and is of another processor "
                f"({_processor(self._document)}): measure into another file."
            )
        check_place(self.path)  # before anything is measured that could not be kept
        times = self.times
        profile = kept_runs(workload, settled)
        record = {
            "key": key,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "version": __version__,
            "git": results.commit(),
            "tuples": profile.tuples,
            "pieces": profile.pieces,
            "seconds": profile.seconds,
            "interrupted": profile.interrupted,
            "columns": profile.rows.shape[1],
            "samples": profile.text(),
        }
        if self._document is None:
            parameters = {**self._of, "times_ns": times.to_dict(), "profiles": []}
            self._document = results.document(KIND, parameters, [], machine, [*warnings(machine), *times.warnings])
        self._profiles.append(record)
        self.measured += 1
        keep(self.path, self._document)
        return record


def identity(workload: Simulable) -> dict[str, Any]:
    """What a profile is of, as plain values that are the same in every call."""
    if isinstance(workload, MicroWorkload):
        return {"query": workload.name, "micro": workload.describe()}
    if isinstance(workload, OwnWorkload):
        state = hashlib.sha256(json.dumps(workload.state(), default=str).encode()).hexdigest()
        return {"query": workload.name, "state_sha256": state}
    query = {"query": workload.query.name, "parameter_set": workload.parameter_set}
    return {**query, **data_description.describe(workload.data)}


def key_of(settled: Settled) -> str:
    """The options that a profile depends on, in words."""
    settings = {
        name: value for name, value in settled.to_dict().items() if name not in OF_NO_COST and value is not None
    }
    several = "several workers" if settled.at_work > 1 else "one worker"
    return ", ".join([several, *(f"{name} {value}" for name, value in settings.items())])


def _require(path: Path, document: Mapping[str, Any], of: Mapping[str, Any]) -> None:
    """Raise StreambenchError unless the document holds profiles of the same."""
    if document.get("kind") != KIND:
        raise StreambenchError(f"{path} is a result of {document.get('kind')} and holds no profiles of one workload.")
    parameters = document["parameters"]
    for name, sentence in OTHERWISE.items():
        there, here = parameters.get(name), of.get(name)
        if there != here:
            sentence = sentence.format(there=there, here=here, query=of["query"])
            raise StreambenchError(f"{path} {sentence}: name another file.")
    other = data_description.difference(parameters, of)
    if other is not None:
        raise StreambenchError(f"{path} is of other data, {other}: name another file.")
    _times(path, document)
    try:
        _processor(document)
        profiles = list(parameters["profiles"])
    except (KeyError, TypeError) as error:
        raise _broken(path) from error
    for each in profiles:
        _restored(path, each)


def _times(path: Path, document: Mapping[str, Any]) -> Times:
    try:
        return Times(**document["parameters"]["times_ns"])
    except (KeyError, TypeError) as error:
        raise _broken(path) from error
    except OptionError as error:
        raise StreambenchError(f"{path} is no whole file of profiles: {error} Name another file.") from error


def _restored(path: Path, record: Mapping[str, Any]) -> KeptProfile:
    try:
        samples, tuples, seconds, interrupted, *_ = (record[name] for name in REQUIRED)
        return restored(samples, tuples, seconds, interrupted, record.get("columns", COLUMNS))
    except (KeyError, TypeError, StreambenchError) as error:
        raise _broken(path) from error


def _broken(path: Path) -> StreambenchError:
    return StreambenchError(f"{path} is no whole file of profiles: it was changed; name another file.")


def check_place(path: Path) -> None:
    """Raise StreambenchError where no profiles can be written, as far as can be seen before they are measured."""
    there = next(each for each in path.absolute().parents if each.exists())
    try:
        atomic_file.probe(there, results.PROBE_BYTES)
    except OSError as error:
        raise _cannot_write(path, error) from error


def keep(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document with profiles. Raises StreambenchError where that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_file.replace(path, results.content(document))
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> StreambenchError:
    return StreambenchError(
        f"the profiles cannot be written to {path}: {error.strerror or error}; make room, or name another place with "
        "--profiles"
    )


def _processor(document: Mapping[str, Any]) -> str:
    return str(document["machine"]["cpu"]["model"])


def _version(version: str, git: str | None) -> str:
    return f"streambench {version}" + (f" ({git})" if git else "")

"""What a gate runs, and how much may be lost: `gate.toml`, and what it leaves out."""

from __future__ import annotations

import math
import re
import shlex
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import Formatter
from typing import Any

from streambench.lab.gate.errors import NoVerdictError

FILE = "gate.toml"
COMMANDS = {"build": "{python} setup.py -q build_ext --inplace", "run": "{python} -m streambench"}
FAIL_OVER = {"throughput": 0.05, "p50": 0.10, "p99": 0.25, "instructions": 0.01}
"""By metric: what may be lost of it."""
_QUERY = "run {} --data {{data}} --workers {{workers}} --laps {{laps}} --preload"
WORKLOADS = {
    **{name: _QUERY.format(name) for name in ("q1", "q2", "q3", "q4", "q15", "ysb")},
    "join": "run qjoin --data {data} --workers {workers}",
    "topk": "bench topk --designs fast --streams {workers} --alphas 1.5 --failing 0 --figures updates --items 1000000 "
    "--repeats 3 --results {scratch}",
}
USUAL = ("q1", "q4", "join", "topk")
_SERIAL = "run {} --data {{data}} --laps {{laps}} --preload --engine serial --unit 1024"
COUNTED = {
    **{name: _SERIAL.format(name) for name in ("q1", "q2", "q3", "q4", "q15", "ysb")},
    "join": "join {items} {items} --time ts --equal item:item --window 100 --tier index --workers 1",
    "topk": "topk {items} --column item --k 100 --epsilon 1e-4 --workers 1",
}
PLACES = {"data", "items", "laps", "scratch", "workers"}
LENGTHS = {"items", "laps"}
"""The places that make a command's run longer."""


@dataclass(frozen=True)
class GateSettings:
    """``fail_over``: the greatest part of each metric that may be lost; metrics that are not named are not judged.

    ``workloads``, ``counted``: a command by its name, with places for ``{data}`` (a data directory), ``{items}`` (a
    Parquet file of items, as long as the laps say), ``{scratch}`` (a folder), ``{laps}`` and ``{workers}``;
    ``counted`` are those of which a lap's instructions are counted, in one thread. ``usual``,
    ``usual_counted``: the names of those that run where nobody names any.
    """

    fail_over: Mapping[str, float] = field(default_factory=lambda: dict(FAIL_OVER))
    commands: Mapping[str, str] = field(default_factory=lambda: dict(COMMANDS))
    workloads: Mapping[str, str] = field(default_factory=lambda: dict(WORKLOADS))
    counted: Mapping[str, str] = field(default_factory=lambda: dict(COUNTED))
    usual: tuple[str, ...] = USUAL
    usual_counted: tuple[str, ...] = USUAL

    def words(self, command: str) -> list[str]:
        """``build`` or ``run`` as words, with this interpreter in the place of ``{python}``."""
        return [sys.executable if word == "{python}" else word for word in shlex.split(self.commands[command])]

    def over(self, lost: float) -> GateSettings:
        """The same with one limit for every metric."""
        return replace(self, fail_over=dict.fromkeys(FAIL_OVER, lost))

    def chosen(self, only: Sequence[str], counting: bool) -> dict[str, str]:
        """The commands of the workloads that are asked for. Raises NoVerdictError for a name that there is not."""
        there = self.counted if counting else self.workloads
        names = only or (self.usual_counted if counting else self.usual)
        if unknown := [name for name in names if name not in there]:
            raise NoVerdictError(f"there is no workload {unknown[0]!r}: choose from {', '.join(there)}")
        return {name: there[name] for name in names}


def read(path: Path) -> GateSettings:
    """The settings of a file. Raises NoVerdictError for what it cannot mean."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NoVerdictError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NoVerdictError(f"{path} is not TOML: {error}") from error
    _only(path, content, {"fail_over", "commands", "workloads", "counted"}, "section")
    losses = _texts(path, content, "fail_over")
    _only(path, losses, FAIL_OVER, "metric")
    commands = _texts(path, content, "commands")
    _only(path, commands, COMMANDS, "command")
    workloads, counted = _texts(path, content, "workloads"), _texts(path, content, "counted")
    try:
        shares = {name: share(value) for name, value in losses.items()}
        for name, command in (*commands.items(), *workloads.items(), *counted.items()):
            _check_words(name, command)
        for name, command in (*workloads.items(), *counted.items()):
            _check_places(name, command)
        for name, command in counted.items():
            _check_counted(name, command)
    except NoVerdictError as problem:
        raise NoVerdictError(f"{path}: {problem}") from problem
    return GateSettings(
        {**FAIL_OVER, **shares},
        {**COMMANDS, **commands},
        {**WORKLOADS, **workloads},
        {**COUNTED, **counted},
        tuple(workloads) or USUAL,
        tuple(counted) or USUAL,
    )


def share(text: str) -> float:
    """The part that "5%" is. Raises NoVerdictError for what is no percentage above 0 and below 100."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?%", text.strip())
    if match is None or not 0 < float(match[1]) < 100:
        raise NoVerdictError(f"a loss is a percentage above 0 and below 100, such as 5%, not {text!r}")
    return float(match[1]) / 100


def seconds(text: str) -> float:
    """The seconds that "90s", "5m" or "1h" are. Raises NoVerdictError for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(s|m|h)", text.strip())
    length = float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2]] if match else math.nan
    if not 0 < length <= 86400:
        raise NoVerdictError(f"a budget is a time up to 24h, such as 90s, 5m or 1h, not {text!r}")
    return length


def _texts(path: Path, entries: Mapping[str, Any], section: str) -> dict[str, str]:
    values = entries.get(section, {})
    if not isinstance(values, dict) or not all(isinstance(each, str) for each in values.values()):
        raise NoVerdictError(f"{path}: [{section}] holds names and texts, as in docs/gate.md")
    return values


def _check_words(name: str, command: str) -> None:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise NoVerdictError(f"{name} is no command ({str(error).lower()}): {command!r}") from None
    if not words:
        raise NoVerdictError(f"{name} is an empty command")


def places(command: str) -> set[str]:
    """The names of the places that a command has."""
    return {place for _, place, _, _ in Formatter().parse(command) if place is not None}


def _check_places(name: str, command: str) -> None:
    try:
        places = {(place, bool(how or kind)) for _, place, how, kind in Formatter().parse(command) if place is not None}
    except ValueError:
        raise NoVerdictError(f"{name} has a brace by itself: write {{{{ or }}}} for one that is no place") from None
    if unknown := [place for place, how in sorted(places) if place not in PLACES or how]:
        raise NoVerdictError(f"{name} has no place {{{unknown[0]}}}: {', '.join(sorted(PLACES))}")


def _check_counted(name: str, command: str) -> None:
    """Raise NoVerdictError for a command whose instructions no lap adds to, or that several threads share."""
    if not places(command) & LENGTHS:
        raise NoVerdictError(
            f"{name} has neither {{laps}} nor {{items}}: what is counted is what further laps take, so give its "
            "command one of them"
        )
    if "workers" in places(command):
        raise NoVerdictError(
            f"{name} has {{workers}}: what is counted is one thread, whose instructions no other thread changes, so "
            "name one worker or the engine serial"
        )


def _only(path: Path, entries: Mapping[str, Any], known: Mapping[str, Any] | set[str], what: str) -> None:
    if unknown := set(entries) - set(known):
        raise NoVerdictError(f"{path}: there is no {what} {min(unknown)!r}: choose from {', '.join(sorted(known))}")

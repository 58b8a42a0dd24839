"""Checked runs of both sides: each one's answer must be right before its time counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streambench.gate.errors import NoAnswerError, NoVerdictError, UnknownCommandError
from streambench.gate.side import LONGEST, NEW, Side
from streambench.gate.workload import Workload, check_counts, fingerprint

PATIENCE, LEAST_PATIENCE = 10, 30.0  # a run may take so many times what the first took, and so many seconds at least
MOST_LAPS = 1 << 16
CHECKS = ("sequence_ok", "answer_ok", "verified")  # what a command says of its own checks

Record = dict[str, Any]


@dataclass
class Trial:
    """A workload that both sides have run rightly once. ``seconds``: what a run took at most, with its start."""

    workload: Workload
    laps: int
    expected: dict[str, str | None]
    metrics: tuple[str, ...]
    seconds: float
    pairs: list[tuple[Record, Record]] = field(default_factory=list)


class Trials:
    """``workers``: of each run; ``data``: a data directory; ``scratch``: a folder for what runs write; ``seconds``:
    what a run's measured part is to last, about."""

    def __init__(self, workers: int, data: Path | None, scratch: Path, seconds: float) -> None:
        self._workers, self._data, self._scratch, self._seconds = workers, data, scratch, seconds

    def prepared(self, workload: Workload, base: Side, new: Side) -> Trial:
        """The workload with its laps, after a run of each side whose answer was checked.

        Raises UnknownCommandError where the base has not the command, NoVerdictError where it gives no right answer,
        NoAnswerError where the new side gives none.
        """
        try:
            first, _ = self._run(workload, base, 1, check=False)
            laps = self._laps(workload, first)
            first, taken = self._run(workload, base, laps, check=True)
        except NoAnswerError as problem:
            raise NoVerdictError(f"there is nothing to compare with, {problem}") from problem
        try:
            second, also = self._run(workload, new, laps, check=True)
        except UnknownCommandError as problem:  # what an option error is, too: the base has shown that it can be run
            raise NoAnswerError(f"{problem}, and the base does") from problem
        compare_answers(workload, first, second)
        expected = {base.name: fingerprint(first), new.name: fingerprint(second)}
        names, measured = workload.metrics(first), workload.metrics(second)
        if not names:
            raise NoVerdictError(f"{workload.name}: the base measures nothing that is known")
        if missing := [name for name in names if name not in measured]:
            raise NoAnswerError(f"{workload.name}: {new.called} did not measure {', '.join(missing)}")
        return Trial(workload, laps, expected, tuple(names), max(taken, also))

    def run(self, trial: Trial, side: Side, phase: str, pair: int) -> Record:
        """A timed run as a record.

        Raises NoAnswerError where its answer is not the one that was checked; NoVerdictError where the base's is not.
        """
        try:
            return self._record(trial, side, phase, pair)
        except NoAnswerError as problem:
            if side.name == NEW:
                raise
            raise NoVerdictError(f"there is nothing to compare with, {problem}") from problem

    def _record(self, trial: Trial, side: Side, phase: str, pair: int) -> Record:
        timeout = max(LEAST_PATIENCE, PATIENCE * trial.seconds)
        said, taken = self._run(trial.workload, side, trial.laps, check=False, timeout=timeout)
        if fingerprint(said) != trial.expected[side.name]:
            raise NoAnswerError(
                f"{trial.workload.name}: {side.called}'s output is not that of the run that was checked"
            )
        metrics = trial.workload.metrics(said)
        if missing := [name for name in trial.metrics if name not in metrics]:
            raise NoAnswerError(f"{trial.workload.name}: {side.called} did not measure {', '.join(missing)}")
        return {
            "query": trial.workload.name,
            "side": side.name,
            "phase": phase,
            "pair": pair,
            "engine": said.get("engine") or said.get("tier") or said.get("design"),
            "workers": self._workers,
            "laps": trial.laps,
            "throughput": metrics.pop("throughput", None),
            "latency": metrics or None,
            "seconds": said.get("seconds"),
            "seconds_with_start": taken,
            "digest": fingerprint(said),
            "verified": True,
            "core_round_trip_ns": None,
        }

    def checked(self, workload: Workload, side: Side, laps: int) -> Mapping[str, Any]:
        """What a run says whose answer was checked. Raises UnknownCommandError and NoAnswerError."""
        return self._run(workload, side, laps, check=True)[0]

    def words(self, workload: Workload, side: Side, laps: int) -> list[str]:
        """The words of a run that is not checked while it is measured."""
        more = {"run": ["--no-check"], "topk": ["--out", str(self._rows(side))]}.get(workload.kind, [])
        return [*workload.words(laps, self._workers, self._data, self._scratch), *more]

    def _rows(self, side: Side) -> Path:
        return self._scratch / f"rows-{side.name}.parquet"

    def _run(
        self, workload: Workload, side: Side, laps: int, *, check: bool, timeout: float = LONGEST
    ) -> tuple[Mapping[str, Any], float]:
        words = [word for word in self.words(workload, side, laps) if not (check and word == "--no-check")]
        try:
            said, taken = side.measured(words, timeout)
            if False in [said.get(name) for name in CHECKS]:
                raise NoAnswerError(f"{side.called}'s run is wrong: {said.get('problem')}")
            if workload.kind == "topk":
                check_counts(Path(words[1]), self._rows(side))
        except UnknownCommandError as problem:
            raise UnknownCommandError(f"{workload.name}: {problem}") from problem
        except NoAnswerError as problem:
            raise NoAnswerError(f"{workload.name}: {problem}") from problem
        return said, taken

    def _laps(self, workload: Workload, first: Mapping[str, Any]) -> int:
        taken = float(first.get("seconds") or 0.0)
        if not workload.repeatable or taken <= 0:
            return 1
        return max(1, min(MOST_LAPS, math.ceil(self._seconds / taken)))


def compare_answers(workload: Workload, base: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Raise NoAnswerError where the new side checked less than the base, or where its output is another and neither
    SQL nor exact counts have said that it is right."""
    if lost := [name for name in CHECKS if base.get(name) is True and new.get(name) is not True]:
        raise NoAnswerError(f"{workload.name}: the new side no longer says {', '.join(lost)}")
    judged = True in (new.get("answer_ok"), new.get("verified"))
    if not judged and fingerprint(base) != fingerprint(new):
        raise NoAnswerError(f"{workload.name}: the new side's output is not the base's")

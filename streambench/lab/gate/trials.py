"""Checked runs of both sides: each one's answer must be right before its time counts."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from streambench.errors import StreambenchError
from streambench.lab.gate.errors import NoAnswerError, NoVerdictError, UnknownCommandError
from streambench.lab.gate.resident import resident
from streambench.lab.gate.side import LONGEST, Side
from streambench.lab.gate.workload import Workload, check_counts, fingerprint, positive

PATIENCE, LEAST_PATIENCE = 10, 30.0  # a run may take so many times what the first took, and so many seconds at least
MOST_LAPS = 1 << 16
TURNS = 4  # of each side in a pair of processes that stay; a run is that much shorter
CHECKS = ("sequence_ok", "answer_ok", "verified")  # what a command says of its own checks

T = TypeVar("T")
Record = dict[str, Any]
Pair = list[tuple[Record, Record]]
"""Turns of a process of the base and one of the other side, which live side by side: a run of each in a turn."""


@dataclass
class Trial:
    """A workload that both sides have run rightly once. ``seconds``: what a run took at most, with its start;
    ``stays``: both sides' commands can be asked for one run after the other; ``unmatched``: metrics of the new side
    alone."""

    workload: Workload
    laps: int
    expected: dict[str, str | None]
    metrics: tuple[str, ...]
    seconds: float
    stays: bool = False
    unmatched: tuple[str, ...] = ()
    pairs: list[Pair] = field(default_factory=list)


class GateTrials:
    """``workers``: of each run; ``data``: a data directory; ``scratch``: a folder for what runs write; ``seconds``:
    what a side's measured part of a pair is to last, about."""

    def __init__(self, workers: int, data: Path | None, scratch: Path, seconds: float) -> None:
        self._workers, self._data, self._scratch, self._seconds = workers, data, scratch, seconds

    def prepared(self, workload: Workload, base: Side, new: Side) -> Trial:
        """The workload with its laps, after a run of each side whose answer was checked.

        Raises UnknownCommandError where the base has not the command, NoVerdictError where it gives no right answer,
        NoAnswerError where the new side gives none.
        """
        try:
            first, elapsed = self._run(workload, base, 1, check=False)
            stays = self._stays(workload, (base, new), _patience(elapsed))
            laps = self._laps(workload, first, TURNS if stays else 1)
            first, elapsed = self._run(workload, base, laps, check=True)
        except NoAnswerError as problem:
            raise NoVerdictError(f"there is nothing to compare with, {problem}") from problem
        try:
            second, also = self._run(workload, new, laps, check=True, timeout=_patience(elapsed))
        except UnknownCommandError as problem:  # what an option error is, too: the base has shown that it can be run
            raise NoAnswerError(f"{problem}, and the base does") from problem
        compare_answers(workload, first, second)
        expected = {base.name: fingerprint(first), new.name: fingerprint(second)}
        names = _metrics(workload, base, first)
        if not names:
            raise NoVerdictError(f"{workload.name}: the base measures nothing that is known")
        measured = _metrics(workload, new, second, tuple(names))
        unmatched = tuple(name for name in measured if name not in names)
        return Trial(workload, laps, expected, tuple(names), max(elapsed, also), stays, unmatched)

    def pair(self, trial: Trial, base: Side, other: Side, phase: str, number: int) -> Pair:
        """Timed runs as records: one of each side, or ``TURNS`` where they stay. The base begins in even pairs, and
        then each time the side that came second.

        Raises NoAnswerError where an answer is not the one that was checked; NoVerdictError where the base's is not.
        """
        if trial.stays:
            return self._turns(trial, (base, other), phase, number)
        sides = in_turn((base, other), number)
        records = [self._record(trial, side, phase, number, 0, *self._once(trial, side)) for side in sides]
        first, second = in_turn(records, number)
        return [(first, second)]

    def _once(self, trial: Trial, side: Side) -> tuple[Mapping[str, Any], float]:
        try:
            return self._run(trial.workload, side, trial.laps, check=False, timeout=_patience(trial.seconds))
        except (NoAnswerError, UnknownCommandError) as problem:  # it has known the command
            raise side.blamed(NoAnswerError(str(problem))) from problem

    def _turns(self, trial: Trial, sides: Sequence[Side], phase: str, number: int) -> Pair:
        """The same process of each side for all turns, each warm from a run that does not count."""
        words = [self.words(trial.workload, side, trial.laps) for side in sides]
        with ExitStack() as lives:
            starting = [  # both at once
                lives.enter_context(resident(sides[place], words[place])) for place in in_turn((0, 1), number)
            ]
            ready = in_turn(starting, number)

            def answer(place: int, turn: int) -> Record:
                begin = time.monotonic()
                try:
                    if turn < 0:
                        ready[place].await_ready()
                    said = ready[place].run(_patience(trial.seconds))
                    _require_right(sides[place], said)
                except (NoAnswerError, UnknownCommandError) as problem:
                    raise sides[place].blamed(NoAnswerError(f"{trial.workload.name}: {problem}")) from problem
                return self._record(trial, sides[place], phase, number, turn, said, time.monotonic() - begin)

            for place in in_turn((1, 0), number):  # as in turns: nobody follows itself more often than the other
                answer(place, -1)
            records = []
            for turn in range(TURNS):
                first, second = in_turn(
                    [answer(place, turn) for place in in_turn((0, 1), number + turn)], number + turn
                )
                records.append((first, second))
        return records

    def _record(
        self, trial: Trial, side: Side, phase: str, number: int, turn: int, said: Mapping[str, Any], elapsed: float
    ) -> Record:
        if fingerprint(said) != trial.expected[side.name]:
            raise _wrong(trial.workload, side, "'s output is not that of the run that was checked")
        metrics = _metrics(trial.workload, side, said, trial.metrics)
        return {
            "query": trial.workload.name,
            "side": side.name,
            "phase": phase,
            "pair": number,
            "turn": turn,
            "engine": said.get("engine") or said.get("tier") or said.get("design"),
            "workers": self._workers,
            "laps": trial.laps,
            "throughput": metrics.pop("throughput", None),
            "latency": metrics or None,
            "seconds": said.get("seconds"),
            "seconds_with_start": elapsed,
            "digest": fingerprint(said),
            "verified": True,
            "core_round_trip_ns": _distance(said),
        }

    def checked(self, workload: Workload, side: Side, laps: int) -> Mapping[str, Any]:
        """What a run says whose answer was checked. Raises UnknownCommandError, and what ``Side.blamed`` gives."""
        try:
            return self._run(workload, side, laps, check=True)[0]
        except NoAnswerError as problem:
            raise side.blamed(problem) from problem

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
            said, elapsed = side.measured(words, timeout)
            _require_right(side, said)
            if workload.kind == "topk":
                check_counts(Path(words[1]), self._rows(side))
        except UnknownCommandError as problem:
            raise UnknownCommandError(f"{workload.name}: {problem}") from problem
        except NoAnswerError as problem:
            raise NoAnswerError(f"{workload.name}: {problem}") from problem
        return said, elapsed

    def _stays(self, workload: Workload, sides: Sequence[Side], patience: float) -> bool:
        """Whether both sides' commands can be asked, side by side, for runs that are short enough for turns.

        What fails here is told of where they run one by one.
        """
        if workload.kind != "run":
            return False
        try:
            with ExitStack() as lives:
                both = [lives.enter_context(resident(side, self.words(workload, side, 1))) for side in sides]
                for process in both:
                    process.await_ready(patience)
                    process.run(patience)
                    begin = time.monotonic()
                    process.run(patience)  # what is done once only, is done
                    if time.monotonic() - begin > self._seconds:
                        return False
        except (NoAnswerError, UnknownCommandError):
            return False
        return True

    def _laps(self, workload: Workload, first: Mapping[str, Any], runs: int) -> int:
        """Of each of so many runs, which together last as long as is wanted."""
        if not workload.repeatable or not first.get("seconds"):
            return 1
        try:
            seconds = positive("seconds", first["seconds"])
        except ValueError as problem:
            raise NoAnswerError(f"{workload.name}: the base's {problem}") from None
        return max(1, math.ceil(min(MOST_LAPS, self._seconds / runs / seconds)))


def in_turn(two: Sequence[T], number: int) -> Sequence[T]:
    """The base's and the other's, in the order of a pair or turn."""
    return two if number % 2 == 0 else two[::-1]


def _metrics(workload: Workload, side: Side, said: Mapping[str, Any], names: Sequence[str] = ()) -> dict[str, float]:
    """Raises for what is no number and for what is missing, as a wrong answer of the side."""
    try:
        metrics = workload.metrics(said)
    except ValueError as problem:
        raise _wrong(workload, side, f"'s {problem}") from None
    if missing := [name for name in names if name not in metrics]:
        raise _wrong(workload, side, f" did not measure {', '.join(missing)}")
    return metrics


def _wrong(workload: Workload, side: Side, what: str) -> StreambenchError:
    return side.blamed(NoAnswerError(f"{workload.name}: {side.called}{what}"))


def _distance(said: Mapping[str, Any]) -> float | None:
    """Between cores, where the command has measured it."""
    try:
        return positive("core_round_trip_ns", said.get("core_round_trip_ns"))
    except ValueError:
        return None


def _require_right(side: Side, said: Mapping[str, Any]) -> None:
    if False in [said.get(name) for name in CHECKS]:
        raise NoAnswerError(f"{side.called}'s run is wrong: {said.get('problem')}")


def _patience(seconds: float) -> float:
    return max(LEAST_PATIENCE, PATIENCE * seconds)


def compare_answers(workload: Workload, base: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Raise NoAnswerError where the new side checked less than the base, or where its output is another and neither
    SQL nor exact counts have said that it is right; NoVerdictError where nothing says what is right."""
    if lost := [name for name in CHECKS if base.get(name) is True and new.get(name) is not True]:
        raise NoAnswerError(f"{workload.name}: the new side no longer says {', '.join(lost)}")
    judged = True in (new.get("answer_ok"), new.get("verified"))
    if judged or workload.kind == "topk":  # whose counts are compared after each run
        return
    if fingerprint(base) is None:
        raise NoVerdictError(
            f"{workload.name}: the base's command prints no digest and has checked nothing, so no answer can be told "
            "from a wrong one: have it print a digest of its output"
        )
    if fingerprint(base) != fingerprint(new):
        raise NoAnswerError(f"{workload.name}: the new side's output is not the base's")

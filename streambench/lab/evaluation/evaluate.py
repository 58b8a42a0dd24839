"""Runs the parts of an evaluation in the time there is, each as a process, and leaves one archive of what is there."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from streambench.errors import OptionError
from streambench.lab import atomic_file
from streambench.lab.evaluation.parts import EvaluatedMachine, EvaluationData, EvaluationPart
from streambench.lab.evaluation.plan import PlannedPart, plan
from streambench.lab.host import interrupts
from streambench.lab.record.results import commit

Outcome = Literal["whole", "in part", "failed", "stopped", "left out"]

MARGIN = 3.0  # seconds: a command's start, and the writing of its result
GRACE = 30.0  # seconds that a command may take longer than its time, or after it was asked to end
SCALES = (0.8, 3.0)
"""Between these the estimates of later parts are corrected by what the parts before have taken."""

Say = Callable[[str], None]
"""Called with a line about what is going on."""


@dataclass
class PartRun:
    """How a part went. ``points``: what was planned, in ``expected`` seconds; ``seconds``: what it took. ``results``:
    names of result files."""

    part: str
    told: str
    command: list[str] = field(default_factory=list)
    points: str = ""
    expected: float = 0.0
    seconds: float = 0.0
    outcome: Outcome = "failed"
    problem: str = ""
    results: list[str] = field(default_factory=list)


class Evaluation:
    """Parts measured one after the other, for ``budget`` seconds in all, into the folder ``out``; None: as published.

    Before each part the rest is planned anew by the time that is left. A part that fails, or needs longer, is noted and
    the next one goes on. Another evaluation into the same folder goes on: what is measured whole is not measured again,
    and a result takes the place of the part's former one. Raises OptionError for a budget that no part fits into.
    """

    def __init__(
        self,
        parts: Sequence[EvaluationPart],
        out: Path,
        budget: float | None,
        *,
        machine: EvaluatedMachine | None = None,
        data: EvaluationData | None = None,
        say: Say = lambda line: None,
    ) -> None:
        self.machine = machine or EvaluatedMachine.here()
        self.parts, self.out = parts, out
        self.results, self.logs = out / "results", out / "logs"
        self.runs: list[PartRun] = []
        self._earlier = {run.part: run for run in _earlier(out / "evaluation.json")}
        self._data, self._budget, self._say = data or EvaluationData(), budget, say
        self._until = math.inf if budget is None else time.monotonic() + budget
        self._expected = self._took = 0.0
        first = self.plan()
        if not any(each.level for each in first):
            part = min((part for part in parts if part.levels(self.machine)), key=lambda part: self._least(part))
            raise OptionError(
                f"a budget of {budget:g} s is too short: {part.name} alone takes about {self._least(part):.0f} s, so "
                "give more."
            )

    def plan(self, done: int = 0) -> list[PlannedPart]:
        """What is still measured after as many parts, by the time that is left."""
        left = None if self._budget is None else max(0.0, self._until - time.monotonic())
        return plan(self.parts[done:], self.machine, left, self._scale)

    def measure(self) -> None:
        """Measure the parts. Raises KeyboardInterrupt after what the part in hand has left is written."""
        for folder in (self.results, self.logs):
            folder.mkdir(parents=True, exist_ok=True)
        self._look_at_machine()
        for place, part in enumerate(self.parts):
            planned = self.plan(place)
            if not planned or planned[0].part is not part:
                continue  # this machine has nothing that it could measure
            level = planned[0].level
            run = PartRun(part.name, part.told, expected=round(planned[0].seconds, 1))
            self.runs.append(run)
            if level is None:
                self._leave_out(part, run)
                continue
            later = sum(each.seconds for each in planned[1:])
            run.points, run.command = level.points, ["streambench", *level.words, *self._data.words(part)]
            if self._is_there(run):
                self._say(f"{part.name}: measured by an earlier call ({level.points})")
                continue
            self._say(f"{part.name}: {part.told} ({level.points}); {self._left(planned[0].seconds)}")
            try:
                self._measure(run, level.seconds, self._until - time.monotonic() - later)
            finally:
                self.write()
            self._say(f"{part.name}: {run.outcome}, {clock(run.seconds)}" + _because(run))

    def plain(self) -> dict[str, Any]:
        """What was run, and how it went, as plain values."""
        return {
            "budget": self._budget,
            "machine": asdict(self.machine),
            "commit": commit(),
            "parts": [asdict(each) for each in self.runs],
        }

    def write(self) -> None:
        """Write what was run to `evaluation.json`. On a full disk the table alone shows it: the parts go on."""
        with suppress(OSError):
            atomic_file.replace(self.out / "evaluation.json", json.dumps(self.plain(), indent=1).encode() + b"\n")

    @property
    def _scale(self) -> float:
        """How many times as long as expected the parts so far have taken."""
        least, most = SCALES
        return min(most, max(least, self._took / self._expected)) if self._expected else 1.0

    def _least(self, part: EvaluationPart) -> float:
        return part.levels(self.machine)[0].seconds

    def _left(self, seconds: float) -> str:
        if self._budget is None:
            return f"about {clock(seconds)}"
        return f"about {clock(seconds)} of the {clock(max(0.0, self._until - time.monotonic()))} that are left"

    def _leave_out(self, part: EvaluationPart, run: PartRun) -> None:
        """For lack of time; what an earlier call has of it stays."""
        run.outcome = "left out"
        run.problem = f"it takes about {clock(self._scale * self._least(part))}, and less is left"
        earlier = self._earlier.get(part.name)
        run.results = self._still_there(earlier) if earlier else []
        self._say(f"{part.name}: left out: {run.problem}")
        self.write()

    def _still_there(self, run: PartRun) -> list[str]:
        return [name for name in run.results if (self.results / name).exists()]

    def _is_there(self, run: PartRun) -> bool:
        """Whether an earlier call has measured the same, whole."""
        earlier = self._earlier.get(run.part)
        if earlier is None or earlier.outcome != "whole" or earlier.command != run.command:
            return False
        run.results = self._still_there(earlier)
        if len(run.results) < len(earlier.results):
            return False
        run.outcome, run.seconds = "whole", earlier.seconds
        self.write()
        return True

    def _look_at_machine(self) -> None:
        for name, words in (("machine.txt", ["info"]), ("machine.json", ["info", "--json"])):
            with (self.out / name).open("w", encoding="utf-8") as file, suppress(subprocess.TimeoutExpired, OSError):
                subprocess.run(_command(words), stdout=file, stderr=subprocess.STDOUT, check=False, timeout=GRACE)
        self._say((self.out / "machine.txt").read_text("utf-8", errors="replace").rstrip())

    def _measure(self, run: PartRun, estimate: float, most: float) -> None:
        """Measure a part for ``most`` seconds; its result takes the place of an earlier call's."""
        words = [*run.command[1:], "--results", str(self.results), "--keep-journal"]
        most = max(most, MARGIN + 1.0)
        words += [] if math.isinf(most) else ["--within", f"{most - MARGIN:.1f}s"]
        before = {*self.results.iterdir()}
        begun = time.monotonic()
        code: int | None = None
        stopped = False
        try:
            with (self.logs / f"{run.part}.log").open("w", encoding="utf-8") as log:
                code = _run(_command(words), log, None if math.isinf(most) else most + GRACE)
        except KeyboardInterrupt:
            stopped, run.problem = True, "it was stopped"
            raise
        except OSError as problem:
            run.problem = f"it cannot be started: {problem.strerror}"
        finally:
            run.seconds = round(time.monotonic() - begun, 1)
            made = sorted(path.name for path in {*self.results.iterdir()} - before if path.suffix == ".json")
            run.outcome = _outcome(code, self.results, made, stopped=stopped)
            if run.outcome == "failed" and not run.problem:
                run.problem = _why(code, self.logs / f"{run.part}.log")
            if run.outcome == "whole":
                self._expected, self._took = self._expected + estimate, self._took + run.seconds
            run.results = self._in_place(run.part, made)

    def _in_place(self, part: str, made: list[str]) -> list[str]:
        """The part's results now: those just ``made``, for which the earlier ones go; of none, the earlier ones."""
        earlier = self._still_there(self._earlier[part]) if part in self._earlier else []
        for name in earlier if made else ():
            (self.results / name).unlink()
        return made or earlier


def _earlier(path: Path) -> list[PartRun]:
    """What an earlier call of the same version has run into the folder, if anything."""
    try:
        document = json.loads(path.read_text("utf-8"))
        return [PartRun(**each) for each in document["parts"]] if document["commit"] == commit() else []
    except (OSError, ValueError, LookupError, TypeError):
        return []


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "streambench", *words]


def _run(command: Sequence[str], log: Any, most: float | None) -> int:
    """The exit code of a command that is asked to end after ``most`` seconds, or when this process is.

    It has a session of its own: a terminal's Ctrl-C reaches it through this process alone.
    """
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
    process = subprocess.Popen(
        command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment, start_new_session=True
    )
    try:
        return process.wait(most)
    except subprocess.TimeoutExpired:
        return _end(process)
    except KeyboardInterrupt:
        _end(process)
        raise
    finally:
        with suppress(ProcessLookupError):  # what the command has left behind would disturb the next one
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _end(process: subprocess.Popen[bytes]) -> int:
    """Ask a command to write what it has, then to end, then end it. A second Ctrl-C does not cut this short.

    By SIGTERM first: a shell's `&` has SIGINT ignored.
    """
    with interrupts.held():
        for number in (signal.SIGTERM, signal.SIGINT):
            process.send_signal(number)
            try:
                return process.wait(GRACE)
            except subprocess.TimeoutExpired:
                continue
        os.killpg(process.pid, signal.SIGKILL)
        return process.wait()


def _outcome(code: int | None, folder: Path, made: Sequence[str], *, stopped: bool) -> Outcome:
    if stopped:
        return "stopped"
    if code != 0 or not made:
        return "failed"
    warnings = [line for name in made for line in json.loads((folder / name).read_text("utf-8"))["warnings"]]
    return "in part" if any("ended the measuring early" in line for line in warnings) else "whole"


def _why(code: int | None, log: Path) -> str:
    """Why a part failed: the signal that ended it, or its last words."""
    if code is not None and code < 0:
        memory = ", perhaps for lack of memory" if code == -signal.SIGKILL else ""
        return f"it was ended by {signal.Signals(-code).name}{memory}"
    lines = log.read_text("utf-8", errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


def _because(run: PartRun) -> str:
    return f": {run.problem}" if run.problem else ""


def clock(seconds: float) -> str:
    """A length of time in words: 40 s, 2 min 5 s, 3 h 20 min."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"

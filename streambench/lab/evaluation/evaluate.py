"""Runs the parts of an evaluation in the time there is, each as a process, and leaves one archive of what is there."""

from __future__ import annotations

import json
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
from streambench.host.limits import default_workers
from streambench.lab import atomic_file
from streambench.lab.evaluation.parts import EvaluationPart, Share
from streambench.lab.host import interrupts

Outcome = Literal["whole", "in part", "failed", "stopped"]

MARGIN = 3.0  # seconds: a command's start, and the writing of its result
GRACE = 30.0  # seconds that a command may take longer than its share, or after it was asked to end
LEAST = 6.0  # seconds that each part gets, though others have taken longer than their shares

Say = Callable[[str], None]
"""Called with a line about what is going on."""


@dataclass
class PartRun:
    """How a part went. ``seconds``: what it took of its ``share``. ``results``: names of result files."""

    part: str
    told: str
    command: list[str] = field(default_factory=list)
    share: float = 0.0
    seconds: float = 0.0
    outcome: Outcome = "failed"
    problem: str = ""
    results: list[str] = field(default_factory=list)


class Evaluation:
    """Parts measured one after the other, for ``budget`` seconds in all, into the folder ``out``.

    A part that fails, or needs more than its share, is noted and the next one goes on; time that a part leaves goes to
    those after it. ``data``, ``sweep_data``: as in ``Share``. Raises OptionError for a budget that is too short.
    """

    def __init__(
        self,
        parts: Sequence[EvaluationPart],
        out: Path,
        budget: float,
        *,
        data: Path | None = None,
        sweep_data: Path | None = None,
        say: Say = lambda line: None,
    ) -> None:
        if budget < LEAST * len(parts):
            raise OptionError(
                f"a budget of {budget:g} s is too short: {len(parts)} parts take {LEAST * len(parts):g} s at least, so "
                "give more, or name fewer parts."
            )
        self.parts = parts
        self.out = out
        self.runs: list[PartRun] = []
        self._data, self._sweep_data = data, sweep_data
        self._until = time.monotonic() + budget
        self._budget = budget
        self._say = say
        self.results = out / "results"
        self.logs = out / "logs"

    def measure(self) -> None:
        """Measure the parts. Raises KeyboardInterrupt after what the part in hand has left is written."""
        for folder in (self.results, self.logs):
            folder.mkdir(parents=True, exist_ok=True)
        self._look_at_machine()
        for place, part in enumerate(self.parts):
            left = self._until - time.monotonic()
            share = _share(left, [each.weight for each in self.parts[place:]])
            run = PartRun(part.name, part.told, share=round(share, 1))
            self.runs.append(run)
            self._say(f"{part.name}: {part.told}; {_clock(share)} of the {_clock(left)} that are left")
            try:
                self._measure(part, share, run)
            finally:
                self.write()
            self._say(f"{part.name}: {run.outcome}, {_clock(run.seconds)}" + _because(run))

    def plain(self) -> dict[str, Any]:
        """What was run, and how it went, as plain values."""
        return {"budget": self._budget, "cores": default_workers(), "parts": [asdict(each) for each in self.runs]}

    def write(self) -> None:
        """Write what was run to `evaluation.json`. On a full disk the table alone shows it: the parts go on."""
        with suppress(OSError):
            atomic_file.replace(self.out / "evaluation.json", json.dumps(self.plain(), indent=1).encode() + b"\n")

    def _look_at_machine(self) -> None:
        for name, words in (("machine.txt", ["info"]), ("machine.json", ["info", "--json"])):
            with (self.out / name).open("w", encoding="utf-8") as file, suppress(subprocess.TimeoutExpired, OSError):
                subprocess.run(_command(words), stdout=file, stderr=subprocess.STDOUT, check=False, timeout=GRACE)
        self._say((self.out / "machine.txt").read_text("utf-8", errors="replace").rstrip())

    def _measure(self, part: EvaluationPart, share: float, run: PartRun) -> None:
        within = max(1.0, share - MARGIN)
        words = part.words(Share(default_workers(), within, self._data, self._sweep_data))
        words += ["--within", f"{within:.1f}s", "--results", str(self.results)]
        run.command = ["streambench", *words]
        before = {*self.results.iterdir()}
        begun = time.monotonic()
        code: int | None = None
        stopped = False
        try:
            with (self.logs / f"{part.name}.log").open("w", encoding="utf-8") as log:
                code = _run(_command(words), log, share + GRACE)
        except KeyboardInterrupt:
            stopped, run.problem = True, "it was stopped"
            raise
        except OSError as problem:
            run.problem = f"it cannot be started: {problem.strerror}"
        finally:
            run.seconds = round(time.monotonic() - begun, 1)
            made = sorted(path.name for path in {*self.results.iterdir()} - before if path.suffix == ".json")
            run.results = made
            run.outcome = _outcome(code, self.results, made, stopped=stopped)
            if run.outcome == "failed" and not run.problem:
                run.problem = _why(code, self.logs / f"{part.name}.log")


def _share(left: float, weights: Sequence[float]) -> float:
    """Seconds for the first of several parts: a little for each, and of the rest by weight."""
    return LEAST + max(0.0, left - len(weights) * LEAST) * weights[0] / sum(weights)


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "streambench", *words]


def _run(command: Sequence[str], log: Any, most: float) -> int:
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


def _clock(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"

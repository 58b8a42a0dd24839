"""What a bench shows while it runs: a bar on a terminal, elsewhere plain lines."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from streambench.lab.record.kind_command import command_of

PLAIN_STEP = 0.1  # of the steps: a log wants some ten lines, not thousands


class BenchProgress:
    """A context. ``command``: the kind of result whose command a plain line begins with. ``total``: of its ``unit``;
    None: unknown. A log gets a line for each part of the bench."""

    def __init__(self, console: Console, command: str = "bench", total: int | None = None, unit: str = "runs") -> None:
        self._console, self._command, self._total, self._unit = console, command, total, unit
        self._parts: set[str] = set()
        terminal = console.is_terminal
        self._bars = Progress(*self._columns(), console=console, transient=True, disable=not terminal)
        self._task = self._bars.add_task("starting", total=self._whole(), left="")

    def _columns(self) -> list[ProgressColumn]:
        percentage = TextColumn("{task.percentage:>3.0f} %")
        words = TextColumn("{task.description}", markup=False)
        return [words, BarColumn(), percentage, TimeElapsedColumn(), TimeRemainingColumn()]

    def _whole(self) -> float:
        return 1.0

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bars.stop()

    def kept(self, count: int) -> str:
        """So many, of how many."""
        return f"{count} {self._unit}" if self._total is None else f"{count} of {self._total} {self._unit}"

    def begin(self, count: int) -> None:
        """Say how much earlier calls have measured, if anything."""
        if count:
            self.say(f"{self.kept(count)} kept from before")

    def say(self, sentence: str) -> None:
        """A line that stays."""
        self._console.print(f"{command_of(self._command)}: {sentence}", highlight=False, markup=False, soft_wrap=True)

    def report(self, what: str, fraction: float) -> None:
        """Show what is being done, and the fraction of the whole that is done."""
        self._bars.update(self._task, description=what, completed=fraction)
        part = what.partition(": ")[0]
        if not self._console.is_terminal and part not in self._parts:
            self._parts.add(part)
            self.say(part)


class TimedProgress(BenchProgress):
    """Of a bench that knows its steps and the seconds left. A log gets a line now and then."""

    def __init__(self, total: int, command: str = "sweep", unit: str = "points") -> None:
        super().__init__(Console(stderr=True), command, total, unit)
        self._steps, self._told = total, 0

    def _columns(self) -> list[ProgressColumn]:
        done = f"{{task.completed:.0f}}/{{task.total:.0f}} {self._unit}{{task.fields[left]}}"
        return [TextColumn("{task.description}"), BarColumn(10), TextColumn(done)]

    def _whole(self) -> float:
        return float(self._total or 0)

    def begin(self, count: int) -> None:
        """The same."""
        self._told = count
        super().begin(count)

    def report(self, what: str, done: float, left: float | None = None) -> None:
        """Show what is being done, how many steps are finished, and the seconds left, None while nobody knows."""
        rest = "" if left is None else f", {rough(left)} left"
        self._bars.update(self._task, description=what, completed=done, left=rest)
        if not self._console.is_terminal and done - self._told >= PLAIN_STEP * self._steps:
            self._told = int(done)
            self.say(f"{self.kept(int(done))}{rest.replace(', ', ', about ', 1)}")


def rough(seconds: float) -> str:
    """A length of time that is an estimate: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"

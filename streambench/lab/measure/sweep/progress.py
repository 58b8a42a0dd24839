"""What a long measurement shows while it runs: a live line on a terminal, elsewhere a plain line now and then."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from streambench.lab.record.kind_command import command_of

PLAIN_STEP = 0.1  # of the points: a log wants some ten lines, not thousands


class SweepProgress:
    """A context; ``total``: all ``points``; ``command``: the subcommand that a plain line begins with."""

    def __init__(self, total: int, command: str = "sweep", points: str = "points") -> None:
        self._console = Console(stderr=True)
        self._total, self._command, self._points = total, command, points
        self._told = 0
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(10),
            TextColumn(f"{{task.completed:.0f}}/{{task.total:.0f}} {points}{{task.fields[left]}}"),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bars.add_task("starting", total=total, left="")

    def __enter__(self) -> SweepProgress:
        self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bars.stop()

    def begin(self, kept: int) -> None:
        """Say how many points earlier calls have measured, if any."""
        self._told = kept
        if kept:
            self.say(f"{self.kept(kept)} kept from before")

    def kept(self, count: int) -> str:
        """So many, of how many."""
        return f"{count} of {self._total} {self._points}"

    def say(self, sentence: str) -> None:
        """A line that stays."""
        self._console.print(f"{command_of(self._command)}: {sentence}", highlight=False, markup=False, soft_wrap=True)

    def report(self, what: str, done: int, left: float | None) -> None:
        """Show what is being done, how many points are finished, and the seconds left, None while nobody knows."""
        told = "" if left is None else f", {rough(left)} left"
        self._bars.update(self._task, description=what, completed=done, left=told)
        if not self._console.is_terminal and done - self._told >= PLAIN_STEP * self._total:
            self._told = done
            self.say(f"{done} of {self._total} {self._points}{told.replace(', ', ', about ', 1)}")


def rough(seconds: float) -> str:
    """A length of time that is an estimate: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"

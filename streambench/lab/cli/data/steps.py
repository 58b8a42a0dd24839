"""What `data generate` and `data check` show while they run: a bar for each step, elsewhere a line as it begins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn


class _Steps:
    """Turns (name, fraction) calls into one bar per name, and where there is no terminal into a line as each begins.

    Until the first call ``first`` tells what is awaited.
    """

    def __init__(self, console: Console, bars: Progress, command: str, first: str) -> None:
        self._console = console
        self._bars = bars
        self._command = command
        self._tasks: dict[str, TaskID] = {}
        self._waiting: TaskID | None = bars.add_task(first, total=None)
        self._say(first)

    def __call__(self, name: str, fraction: float) -> None:
        if self._waiting is not None:
            self._bars.remove_task(self._waiting)
            self._waiting = None
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=1.0)
            self._say(name)
        self._bars.update(self._tasks[name], completed=fraction)
        if fraction >= 1.0:
            self._bars.stop_task(self._tasks[name])

    def _say(self, step: str) -> None:
        if not self._console.is_terminal:
            self._console.print(
                f"streambench data {self._command}: {step}", highlight=False, markup=False, soft_wrap=True
            )


@contextmanager
def told_by_step(command: str, first: str) -> Iterator[_Steps]:
    """Over the steps of ``streambench data COMMAND``; what it gives is called with a step and its fraction done."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:<20}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        yield _Steps(console, bars, command, first)

"""What `bench queries` and `bench perf` show while they run: a bar on a terminal, elsewhere a line per step."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from streambench.lab.record.kind_command import command_of


class BenchProgress:
    """A context. ``command``: the kind of result whose command a plain line begins with. ``total``: of its ``unit``;
    None: unknown."""

    def __init__(self, console: Console, command: str = "bench", total: int | None = None, unit: str = "runs") -> None:
        self._console = console
        self._command, self._total, self._unit = command, total, unit
        self._told: set[str] = set()
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bars.add_task("starting", total=1.0)

    def __enter__(self) -> BenchProgress:
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
        step = what.partition(": ")[0]
        if not self._console.is_terminal and step not in self._told:  # a log gets a line per step instead of a bar
            self._told.add(step)
            self.say(step)

"""The live line on a terminal: what is being done, how far, how fast, and the time left. Silent elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.text import Text

from streambench.lab.record.summary import human
from streambench.lab.show.escaped_output import one_line
from streambench.lab.show.lasting_output import lasting


class LastingConsole(Console):
    """A console that goes on without a reader; rich's own ends the process with 1, which is a gate's verdict."""

    def on_broken_pipe(self) -> None:
        """As for any other stream."""
        raise BrokenPipeError

    def print(self, *shown: Any, **how: Any) -> None:
        """As rich does."""
        with lasting(self.file):
            super().print(*shown, **how)


def tell_warnings(console: Console, warnings: Sequence[str], earlier: Sequence[str] = ()) -> None:
    """A note for each of the ``warnings`` that is not among the ``earlier`` ones."""
    for warning in warnings:
        if warning not in earlier:
            console.print(f"note: {one_line(warning)}", highlight=False, markup=False, soft_wrap=True)


def spinner(console: Console) -> SpinnerColumn:
    """A sign of life that the console's encoding can show."""
    return SpinnerColumn("line" if console.options.ascii_only else "dots")


class _Amount(ProgressColumn):
    """How much is done, of how much, and how fast: "1.2 M of 6.8 M tuples  3.4 M/s"."""

    def render(self, task: Task) -> Text:
        if task.total is None:
            return Text("")
        done = f"{human(task.completed)} of {human(task.total)} {task.fields['what']}"
        speed = task.finished_speed or task.speed
        return Text(f"{done}  {human(speed)}/s" if speed else done)


class _Left(ProgressColumn):
    """The time left, by what all that is done has taken: parts may take longer than rich's own column looks back."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        begun, now = task.start_time, task.get_time()
        if begun is None or not task.total or not task.completed:
            return Text("-:--:--", style="progress.remaining")
        at = task.fields["at"]  # when it had got so far
        left = (task.total - task.completed) / task.completed * (at - begun) - (now - at)
        return Text(str(timedelta(seconds=max(0, round(left)))), style="progress.remaining")


class LiveLine:
    """A context in which progress may be shown on standard error.

    Nothing is drawn with ``quiet`` or where standard error is no terminal, so that logs stay readable.
    """

    def __init__(self, quiet: bool = False) -> None:
        console = Console(stderr=True)
        columns = (spinner(console), TextColumn("{task.description}"), BarColumn(24), _Amount(), _Left())
        self._bars = Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal)
        self._task = self._bars.add_task("starting", total=None, what="", at=0.0)
        self._doing = ""

    def __enter__(self) -> LiveLine:
        self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bars.stop()

    def give_way(self) -> None:
        """Draw no more: something else is going to."""
        self._bars.stop()

    def step(self, doing: str, done: int, total: int, what: str = "rows", part: str = "") -> None:
        """Show that ``doing`` has got to ``done`` of ``total``; the signature of ``workload.Progress``.

        ``part``: which part of it is being done, to be shown instead. All parts tell how long the rest will take.
        """
        if doing != self._doing:
            self._begin(doing, total, what)
        task = self._bars.tasks[0]
        at = self._bars.get_time() if done != task.completed else task.fields["at"]
        self._bars.update(self._task, completed=done, description=part or doing, at=at)

    def wait(self, doing: str) -> None:
        """Show that something is being done whose length is not known."""
        if doing != self._doing:
            self._begin(doing, None, "")

    def watch(self, doing: str, total: int, then: str | None = None) -> Callable[[int], None]:
        """Return what an execution calls with the tuples that have reached the sink, of ``total``.

        ``then``: what follows when all have.
        """

        def update(tuples: int) -> None:
            self.step(doing, tuples, total, "tuples")
            if then is not None and tuples >= total:
                self.wait(then)

        return update

    def _begin(self, doing: str, total: int | None, what: str) -> None:
        # A task of its own, so that the speed of one step does not count for the next.
        self._bars.remove_task(self._task)
        self._task = self._bars.add_task(doing, total=total, what=what, at=self._bars.get_time())
        self._doing = doing

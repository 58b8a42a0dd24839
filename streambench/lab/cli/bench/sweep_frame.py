"""What a sweep shows of its result, measured or simulated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from streambench.lab.cli.bench.bench_frame import BenchFrame, Document, FrameOptions
from streambench.lab.record.journal import Record
from streambench.lab.show.sweep_table import table


class SweepFrame(BenchFrame):
    """``again``: the command that repeats a run. ``then``: what a user may do next with the file, the braces."""

    title: str | None = None
    many = "workers"

    def __init__(self, options: FrameOptions, again: Callable[[Record], str] | None = None, then: str = "") -> None:
        super().__init__(options, lambda rows: table(rows)[0])
        self._again, self._then = again, then

    def show(self, console: Console, document: Document) -> None:
        """The table, and how many rows it has not."""
        rows_table, hidden = table(document["summary"])
        rows_table.title = self.title or rows_table.title
        console.print(rows_table)
        if hidden:
            console.print(f"{hidden} more rows, of fewer {self.many}, are in the result file.")

    def problem(self, document: Document) -> str | None:
        """Of the runs, as many as there are."""
        wrong = [run for run in document["runs"] if run["throughput"] is None]
        if not wrong:
            return None
        what = "failed and have" if self._again is None else "were wrong and have"
        again = "" if self._again is None else f"; repeat one with: {self._again(wrong[0])}"
        sentence = (
            f"{len(wrong)} of {len(document['runs'])} runs {what} no number, the first because {wrong[0]['problem']}"
        )
        return sentence + again

    def show_next(self, console: Console, written: Path) -> None:
        """What a user may do with the file."""
        if self._then:
            console.print(self._then.format(written), soft_wrap=True, markup=False)

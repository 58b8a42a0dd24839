"""The frame of a command that measures: its options, what is checked before, its journal, table, result and figures.

A command's options have the field `frame_options`. The command makes its bench of the others (a frozen dataclass below
`streambench.lab.measure.frame.Bench`) and hands it to `BenchFrame.run`. A subclass says what a command shows otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from rich.console import Console, RenderableType

from streambench.errors import StreambenchError
from streambench.lab.cli.bench.bench_progress import BenchProgress, TimedProgress
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.flags import Flags, flag
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.options import group
from streambench.lab.cli.shared_options import draw_figures, keep_journal, restart, results_folder, within
from streambench.lab.figures import draw
from streambench.lab.measure.frame import Bench, BenchData, measure
from streambench.lab.measure.time_limit import TimeLimit
from streambench.lab.record import results
from streambench.lab.record.journal import Journal, Memory, Record, identity
from streambench.lab.record.journaled_document import begin
from streambench.lab.show.console import tell_warnings
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, write_all

Rows = Sequence[dict[str, Any]]
Document = dict[str, Any]
B = TypeVar("B", bound=Bench)

WITH_FIGURES = (
    "Where the dated result file goes, beside it a folder of the same name with its figures, and until it is finished "
    "the journal."
)
WITHOUT_FIGURES = "Where the dated result file goes, and until it is finished the journal."
FLAGS = Flags(
    flag(
        "--json",
        "json_path",
        type=LocalPath(path_type=Path),
        metavar="FILE|-",
        help="Also write the table's rows (JSON).",
    ),
    flag("--require-idle", is_flag=True, help="Refuse to measure while others keep the cores busy."),
    draw_figures,
    within,
    restart,
    keep_journal,
)


@dataclass(frozen=True)
class FrameOptions:
    """What a user says of how a bench is run, whatever it measures."""

    folder: Path
    json_path: Path | None = None
    require_idle: bool = False
    draws: bool = False
    within: float | None = None
    restart: bool = False
    keeps_journal: bool = False


def frame_options(*names: str, folder: str = WITH_FIGURES) -> Any:
    """The field ``frame`` of a command's options: the frame's options of these ``names``, all if none are named.

    ``folder``: the help of --results.
    """
    return group(Flags(results_folder(folder)) + FLAGS.only(*(names or FLAGS.names)), FrameOptions)


def bench_of(bench: type[B], options: object, usual: Mapping[str, Any] | None = None) -> B:
    """The bench of a command's ``options``; where those have no field of this name, or None, the ``usual`` value."""
    named = {each.name: getattr(options, each.name, None) for each in fields(cast(Any, bench))}
    return bench(**{**(usual or {}), **{name: value for name, value in named.items() if value is not None}})


class BenchFrame:
    """How a bench is run as a command and what is shown of its result.

    ``table``: of the summary. ``wrong``: of the summary's rows those without a number, in words. ``figures``: which of
    them to draw, by name; of none, all. ``warnings``: what the result is to tell beside those of the machine.
    ``drawable``: whether there are figures of a document. ``width``: of a table in a file or a pipe, which is not
    folded to 80 columns.
    """

    width = 150

    def __init__(
        self,
        options: FrameOptions,
        table: Callable[[Rows], RenderableType],
        wrong: Callable[[Rows], Sequence[str]] = lambda rows: (),
        figures: Sequence[str] = (),
        warnings: Sequence[str] = (),
        drawable: Callable[[Document], object] = bool,
    ) -> None:
        self.options = options
        self._table, self._wrong, self._figures, self._warnings = table, wrong, figures, warnings
        self._drawable = drawable

    def complete(self, document: Document) -> None:
        """What is done with the document before it is shown and written."""

    def show(self, console: Console, document: Document) -> None:
        """Print the result."""
        console.print(self._table(document["summary"]))

    def show_file(self, console: Console, document: Document, written: Path) -> None:
        """Print what follows when the result is written."""
        console.print(f"result: {written}", soft_wrap=True, highlight=False, markup=False)

    def show_next(self, console: Console, written: Path) -> None:
        """Print what a user may do with a right result."""

    def problem(self, document: Document) -> str | None:
        """What is wrong with the result, a sentence."""
        bad = self._wrong(document["summary"])
        return f"wrong results, which have no number: {', '.join(bad)}." if bad else None

    def run(self, bench: Bench, source: BenchSource | None = None) -> Document:
        """Measure ``bench`` over what ``source`` gives, print the table, write the result, draw its figures and return
        it.

        Raises StreambenchError for places that cannot be written, data that cannot be had, a busy machine where an idle
        one is required, and, once all is written, for wrong results.
        """
        options, source = self.options, source or BenchSource()
        to_stdout = options.json_path == STDOUT
        results.check_folder(options.folder)
        if options.json_path is not None and not to_stdout:
            check_places({"--json": options.json_path})
        source.check()
        messages = Console(stderr=True)
        console = messages if to_stdout else Console()
        if not console.is_terminal:
            console = Console(width=self.width, stderr=to_stdout)
        call = begin()
        if options.require_idle and call["busy"]:
            raise StreambenchError(f"{call['busy']}; nothing was measured, since --require-idle was given.")
        call["warnings"] += self._warnings
        tell_warnings(messages, call["warnings"])
        data = _data(source, bench.kind, messages)
        with self._journal(bench, data, call) as journal:
            document = self._document(bench, data, journal, call, messages)
            self.complete(document)
            self.show(console, document)
            tell_warnings(messages, document["warnings"], earlier=call["warnings"])
            written = results.write(document, options.folder)
            if isinstance(journal, Journal) and not options.keeps_journal:
                journal.remove()
        self.show_file(console, document, written)
        if problem := self.problem(document):
            raise StreambenchError(problem)
        self.show_next(console, written)
        draws = options.draws and bool(self._drawable(document))
        if options.draws and not draws:
            console.print("no figure: nothing of what was measured is drawn", highlight=False)
        for figure in self._drawn(document, written, messages) if draws else ():
            console.print(f"figure: {figure}", soft_wrap=True, highlight=False, markup=False)
        if to_stdout:
            click.echo(json_text(document["summary"]), nl=False)
        elif options.json_path is not None:
            write_all({options.json_path: as_json(document["summary"])})
        return document

    def _drawn(self, document: Document, written: Path, messages: Console) -> Iterable[Path]:
        folder = written.with_suffix("")
        return draw(document, folder, self._figures, lambda note: tell_warnings(messages, [note]))

    def _journal(self, bench: Bench, data: BenchData, call: Record) -> AbstractContextManager[Journal | Memory]:
        if not bench.resumes:
            return nullcontext(Memory())
        keeps = self.options.keeps_journal
        plan, state = (bench.fixed(), data.files()) if keeps else (bench.plain(), data.state())
        key = identity(plan, state, call["machine"])
        return Journal(self.options.folder, bench.kind, key, restart=self.options.restart)

    def _document(
        self, bench: Bench, data: BenchData, journal: Journal | Memory, call: Record, messages: Console
    ) -> Document:
        """The result document, of which some may have been measured by earlier calls."""
        limit, total = TimeLimit(self.options.within), bench.total
        count = partial(_steps, bench.counted, journal)
        progress = (
            TimedProgress(total or 0, bench.kind, bench.unit)
            if bench.timed
            else BenchProgress(messages, bench.kind, total, bench.unit)
        )
        with progress, limit.stopped_by_signal():
            progress.begin(count())
            try:
                return measure(bench, progress.report, data=data, journal=journal, call=call, limit=limit)
            except KeyboardInterrupt:
                if not bench.resumes:
                    raise
                kept = progress.kept(count())
                progress.say(f"interrupted; {kept} are kept, the same command goes on from there")
                raise SystemExit(130) from None


def _steps(counted: Sequence[str], journal: Journal | Memory) -> int:
    return sum(record["step"] in counted for record in journal.records)


def _data(source: BenchSource, kind: str, messages: Console) -> BenchData:
    """The data, whose making is shown."""
    if not source.is_generated:
        return source.read(lambda what, fraction: None)
    with BenchProgress(messages, kind) as progress:
        return source.read(progress.report)

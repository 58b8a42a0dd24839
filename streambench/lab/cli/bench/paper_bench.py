"""The frame of a command that measures a paper's section, or searches: its journal, table, result file and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.table import Table

from streambench.errors import StreambenchError
from streambench.lab.cli.bench.bench_progress import BenchProgress
from streambench.lab.cli.bench.over_data import OverData
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import Decorator, draw_figures, restart, results_folder
from streambench.lab.figures import draw
from streambench.lab.measure.kept_records import Settings, runs_kept
from streambench.lab.measure.time_limit import NO_LIMIT, TimeLimit
from streambench.lab.record import results
from streambench.lab.record.journal import Journal, identity
from streambench.lab.record.journaled_document import begin
from streambench.lab.show.console import tell_warnings
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, write_all

Rows = Sequence[dict[str, Any]]
Measure = Callable[..., dict[str, Any]]

DECLARED: tuple[Decorator, ...] = (
    click.option(
        "--json",
        "json_path",
        type=LocalPath(path_type=Path),
        metavar="FILE|-",
        help="Also write the table's rows (JSON).",
    ),
    results_folder(
        "Where the dated result file goes, beside it a folder of the same name with its figures, and until it is "
        "finished the journal."
    ),
    click.option("--require-idle", is_flag=True, help="Refuse to measure while others keep the cores busy."),
    draw_figures,
    restart,
)


def paper_bench_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of the frame, after those of the command."""
    for each in reversed(DECLARED):
        command = each(command)
    return command


class PaperBench(NamedTuple):
    """``measure``: called with the settings, a report, ``journal`` and ``call``, as in ``kept_records.measured``; with
    the data's catalogue before them where there is data. ``wrong``: of the summary's rows those without a number."""

    kind: str
    measure: Measure
    table: Callable[[Rows], Table]
    wrong: Callable[[Rows], Sequence[str]]

    def run(
        self,
        wanted: Settings,
        *,
        json_path: Path | None,
        folder: Path,
        require_idle: bool,
        restart: bool,
        draws: bool = True,
        limit: TimeLimit = NO_LIMIT,
        figures: Sequence[str] = (),
        over: OverData | None = None,
    ) -> None:
        """Measure ``wanted``, print the table and write the result.

        ``figures``: which of them to draw, by name; of none, all. ``over``: the data, where it is not made in memory.
        ``limit``: of a ``measure`` that takes one. Raises StreambenchError for places that cannot be written, data that
        cannot be had, a busy machine where an idle one is required, and, once all is written, for wrong results.
        """
        results.check_folder(folder)
        if json_path is not None and json_path != STDOUT:
            check_places({"--json": json_path})
        if over is not None:
            over.check()
        messages = Console(stderr=True)
        console = messages if json_path == STDOUT else Console()
        if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
            console = Console(width=150, stderr=json_path == STDOUT)
        call = begin()
        if require_idle and call["busy"]:
            raise StreambenchError(f"{call['busy']}; nothing was measured, since --require-idle was given.")
        tell_warnings(messages, call["warnings"])
        measure, state = self.measure, list[Any]()
        if limit is not NO_LIMIT:
            measure = partial(measure, limit=limit)
        if over is not None:
            with BenchProgress(messages, self.kind) as progress:
                data = over.catalog(progress.report)
            measure, state = partial(measure, data), over.state(data)
        with Journal(folder, self.kind, identity(wanted.plain(), state, call["machine"]), restart=restart) as journal:
            document = self._measured(measure, wanted, journal, call, messages, limit)
            console.print(self.table(document["summary"]))
            tell_warnings(messages, document["warnings"], told=call["warnings"])
            written = results.write(document, folder)
            journal.remove()
        console.print(f"result: {written}", soft_wrap=True, highlight=False, markup=False)
        if bad := self.wrong(document["summary"]):
            raise StreambenchError(f"wrong results, which have no number: {', '.join(bad)}.")
        drawn = partial(draw, document, written.with_suffix(""), figures, lambda each: tell_warnings(messages, [each]))
        for figure in drawn() if draws else ():
            console.print(f"figure: {figure}", soft_wrap=True, highlight=False, markup=False)
        if json_path == STDOUT:
            click.echo(json_text(document["summary"]), nl=False)
        elif json_path is not None:
            write_all({json_path: as_json(document["summary"])})

    def _measured(
        self,
        measure: Measure,
        wanted: Settings,
        journal: Journal,
        call: dict[str, Any],
        messages: Console,
        limit: TimeLimit,
    ) -> dict[str, Any]:
        """The result document, of which some runs may have been measured by earlier calls."""
        with BenchProgress(messages, self.kind) as progress, limit.stopped_by_signal():
            if kept := runs_kept(journal.records):
                progress.say(f"{kept} runs kept from before")
            try:
                return measure(wanted, progress.report, journal=journal, call=call)
            except KeyboardInterrupt:
                kept = runs_kept(journal.records)
                progress.say(f"interrupted; {kept} runs are kept, the same command goes on from there")
                raise SystemExit(130) from None

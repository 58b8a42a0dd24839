"""`streambench simulate validate`: how far the simulator is from real runs, on as many cores as there are here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.errors import OptionError
from streambench.lab.cli.bench.bench_frame import WITHOUT_FIGURES, BenchFrame, Document, FrameOptions, frame_options
from streambench.lab.cli.bench.bench_options import TIME, option
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.data_to_make import refuse_given
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import data_option
from streambench.lab.measure.validation.bench import SECONDS, ValidationBench
from streambench.lab.measure.validation.cases import CONFIGURATIONS, MICRO, QUICK, cases, usual_cases
from streambench.lab.record import results
from streambench.lab.record.newest_result import result_path
from streambench.lab.record.validation_summary import KIND
from streambench.lab.show.marked_block import marks, with_block
from streambench.lab.show.output import as_text, check_places, write_all
from streambench.lab.show.validation_table import MARK, disturbed, markdown, sentence, terminal
from streambench.queries.query import PAPER_QUERIES

SCALE = 0.01
ALL = "all"


def _parse_cases(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    """How many configurations; None: all. Raises OptionError for anything else."""
    if value == ALL:
        return None
    try:
        found = int(value)
    except ValueError:
        found = 0
    if found < 1:
        raise OptionError(f"--cases takes a number from 1 up, or {ALL}, not {value!r}.")
    return found


LONGEST_RUN = 3600  # seconds

HOW = (
    *("engines", "workloads", "most", "usual", "workers", "seconds", "data", "folder", "within", "restart"),
    "keeps_journal",
)
"""The parameters that say how to measure."""


@click.command()
@option("--engines", words(tuple(CONFIGURATIONS)), "Which engines, with commas.", default=",".join(CONFIGURATIONS))
@option(
    "--workloads",
    words(),
    "Queries, and parametric pipelines by their operators' kinds, with commas.",
    default=",".join((*PAPER_QUERIES, *MICRO)),
)
@click.option(
    "--cases",
    "most",
    default=str(QUICK),
    callback=_parse_cases,
    show_default=True,
    metavar="N|all",
    help="How many configurations, drawn from all by chance, the same in every call; or all.",
)
@click.option(
    "--usual", is_flag=True, help="Instead of --cases: what `run` chooses by each engine, over all --workers."
)
@option("--workers", numbers(int, 1), "Numbers of workers, with commas.  [default: 1,2]")
@option("--run-time", TIME, "About how long a real run lasts.", "seconds", default=f"{SECONDS:g}s")
@data_option
@click.option(
    "--from",
    "source",
    type=LocalPath(),
    metavar="FILE|latest",
    help="Measure nothing: show this result, or the newest.",
)
@click.option(
    "--markdown",
    "page",
    type=LocalPath(path_type=Path),
    metavar="FILE",
    help="Also write the tables into this page, between its lines `{}` and `{}`.".format(*marks(MARK)),
)
@frame_options("within", "restart", "keeps_journal", folder=WITHOUT_FIGURES)
def command(frame: FrameOptions, **given: Any) -> None:
    """Compare the simulator with real runs here, and say how far it is off.

    Of each configuration there is a real run, the profile run that feeds the simulation, the real run again, and the
    simulation. Prints the errors by group, what three queries' errors tell of the other two, and the worst of what is
    off by more than the median may be; writes a dated JSON file. A call that was interrupted goes on where it stopped
    when it is given again. Without --data, data are generated at scale factor 0.01 and kept in data/.

    \b
    Examples:
      streambench simulate validate
      streambench simulate validate --cases all --within 200s --keep-journal
      streambench simulate validate --workloads q1,q4,ps --cases 20
      streambench simulate validate --engines ordered --cases all
      streambench simulate validate --usual --workers 1,2,4,8
      streambench simulate validate --from latest --markdown docs/simulator.md
    """
    page = given["page"]
    if page is not None:
        check_places({"--markdown": page})
        with_block(page, MARK, "")  # a page without the marks is told before anything is measured
    if given["source"] is not None:
        why = "is of what is measured, and --from measures nothing"
        refuse_given(why, *HOW)
        path = result_path(given["source"], (KIND,))
        found = results.read_of(path, KIND)
        with results.whole(path, "what was compared is not told"):
            text = None if page is None else markdown(found, path.name)
        _show(found, page, text)
        return
    if given["seconds"] > LONGEST_RUN:
        raise OptionError(f"--run-time must be at most {LONGEST_RUN}s, not {given['seconds']:g}s.")
    of, workers = (given["engines"], given["workloads"]), given["workers"] or ()
    if given["usual"]:
        refuse_given("draws from what --usual leaves out", "most")
    chosen = usual_cases(*of, workers) if given["usual"] else cases(*of, given["most"], workers=workers)
    drawn_from = len(chosen if given["usual"] else cases(*of, None, workers=workers))
    queries = sorted({each.workload for each in chosen} & set(PAPER_QUERIES))
    source = BenchSource(given["data"] if queries else None, queries, generate={"scale_factor": SCALE})
    bench = ValidationBench(chosen, drawn_from, given["seconds"])
    ValidationFrame(frame, page).run(bench, source)


class ValidationFrame(BenchFrame):
    """Its tables are of the file, of whose name ``page`` tells."""

    def __init__(self, options: FrameOptions, page: Path | None) -> None:
        super().__init__(options, lambda rows: Table())
        self._page = page

    def show(self, console: Console, document: Document) -> None:
        """Nothing before it is written."""

    def show_file(self, console: Console, document: Document, written: Path) -> None:
        """The tables, and where the result is."""
        found = results.read(written)
        _show(found, self._page, None if self._page is None else markdown(found, written.name))
        super().show_file(console, document, written)

    def problem(self, document: Document) -> str | None:
        """Of the configurations, as many as there are."""
        wrong = sum(not run["sequence_ok"] for run in document["runs"])
        return (
            f"{wrong} of {len(document['runs'])} configurations had a wrong run and have no number." if wrong else None
        )


def _show(found: dict[str, Any], page: Path | None, text: str | None) -> None:
    """Print the tables; write ``text``, which has them, too, into the page."""
    console = Console()
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=150)
    for table in terminal(found["summary"]):
        console.print(table)
    console.print(f"{sentence(found['summary'])}.", soft_wrap=True, highlight=False)
    console.print(f"{disturbed(found['summary'])}.", soft_wrap=True, highlight=False)
    if page is not None and text is not None:
        write_all({page: as_text(with_block(page, MARK, text))})

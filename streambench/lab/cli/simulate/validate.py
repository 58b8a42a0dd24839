"""`streambench simulate validate`: how far the simulator is from real runs, on as many cores as there are here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.errors import OptionError
from streambench.lab.cli.bench.bench_frame import WITHOUT_FIGURES, BenchFrame, Document, FrameOptions, frame_options
from streambench.lab.cli.bench.bench_options import seconds
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.data_to_make import refuse_given
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.options import command_of, command_options, option, shared
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
        count = int(value)
    except ValueError:
        count = 0
    if count < 1:
        raise OptionError(f"--cases takes a number from 1 up, or {ALL}, not {value!r}.")
    return count


LONGEST_RUN = 3600  # seconds

HOW = (
    *("engines", "workloads", "most", "usual", "workers", "seconds", "data", "folder", "within", "restart"),
    "keeps_journal",
)
"""The parameters that say how to measure."""


@command_options
class ValidateOptions:
    """``most``: how many configurations are compared. ``source``: the result that is shown instead; ``page``: where it
    goes, too."""

    engines: tuple[str, ...] = option(
        "Which engines, with commas.", ",".join(CONFIGURATIONS), type=words(tuple(CONFIGURATIONS))
    )
    workloads: tuple[str, ...] = option(
        "Queries, and parametric pipelines by their operators' kinds, with commas.",
        ",".join((*PAPER_QUERIES, *MICRO)),
        type=words(),
    )
    most: int | None = option(
        "How many configurations, drawn from all by chance, the same in every call; or all.",
        str(QUICK),
        "--cases",
        callback=_parse_cases,
        metavar="N|all",
    )
    usual: bool = option("Instead of --cases: what `run` chooses by each engine, over all --workers.")
    workers: tuple[int, ...] | None = option(
        "Numbers of workers, with commas.  [default: 1,2]", type=numbers(int, 1), metavar="N,.."
    )
    seconds: float = seconds("About how long a real run lasts.", f"{SECONDS:g}s", "--run-time")
    data: Path | None = shared(data_option)
    source: str | None = option(
        "Measure nothing: show this result, or the newest.",
        spelled="--from",
        type=LocalPath(),
        metavar="FILE|latest",
    )
    page: Path | None = option(
        "Also write the tables into this page, between its lines `{}` and `{}`.".format(*marks(MARK)),
        spelled="--markdown",
        metavar="FILE",
    )
    frame: FrameOptions = frame_options("within", "restart", "keeps_journal", folder=WITHOUT_FIGURES)


@command_of(ValidateOptions)
def command(options: ValidateOptions) -> None:
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
    page = options.page
    if page is not None:
        check_places({"--markdown": page})
        with_block(page, MARK, "")  # a page without the marks is refused before anything is measured
    if options.source is not None:
        why = "is of what is measured, and --from measures nothing"
        refuse_given(why, *HOW)
        path = result_path(options.source, (KIND,))
        document = results.read_of(path, KIND)
        with results.whole(path, "what was compared is not told"):
            text = None if page is None else markdown(document, path.name)
        _show(document, page, text)
        return
    if options.seconds > LONGEST_RUN:
        raise OptionError(f"--run-time must be at most {LONGEST_RUN}s, not {options.seconds:g}s.")
    of = options.engines, options.workloads
    if options.usual:
        refuse_given("draws from what --usual leaves out", "most")
        chosen = every = usual_cases(*of, options.workers or ())
    else:
        chosen = cases(*of, options.most, workers=options.workers or ())
        every = cases(*of, None, workers=options.workers or ())
    queries = sorted({each.workload for each in chosen} & set(PAPER_QUERIES))
    source = BenchSource(options.data if queries else None, queries, generate={"scale_factor": SCALE})
    bench = ValidationBench(chosen, len(every), options.seconds)
    ValidationFrame(options.frame, page).run(bench, source)


class ValidationFrame(BenchFrame):
    """Its tables are of the file, of whose name ``page`` tells."""

    def __init__(self, options: FrameOptions, page: Path | None) -> None:
        super().__init__(options, lambda rows: Table())
        self._page = page

    def show(self, console: Console, document: Document) -> None:
        """Nothing before it is written."""

    def show_file(self, console: Console, document: Document, written: Path) -> None:
        """The tables, and where the result is."""
        result = results.read(written)
        _show(result, self._page, None if self._page is None else markdown(result, written.name))
        super().show_file(console, document, written)

    def problem(self, document: Document) -> str | None:
        """Of the configurations, as many as there are."""
        wrong = sum(not run["sequence_ok"] for run in document["runs"])
        return (
            f"{wrong} of {len(document['runs'])} configurations had a wrong run and have no number." if wrong else None
        )


def _show(document: dict[str, Any], page: Path | None, text: str | None) -> None:
    """Print the tables; write ``text``, which has them, too, into the page."""
    console = Console()
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=150)
    for table in terminal(document["summary"]):
        console.print(table)
    console.print(f"{sentence(document['summary'])}.", soft_wrap=True, highlight=False)
    console.print(f"{disturbed(document['summary'])}.", soft_wrap=True, highlight=False)
    if page is not None and text is not None:
        write_all({page: as_text(with_block(page, MARK, text))})

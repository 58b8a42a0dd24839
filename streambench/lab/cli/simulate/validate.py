"""`streambench simulate validate`: how far the simulator is from real runs, on as many cores as there are here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.errors import OptionError, StreambenchError
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.data_to_make import refuse_given
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import data_option, restart, results_folder
from streambench.lab.data import data_description
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.generated import generated
from streambench.lab.measure.sweep.progress import SweepProgress
from streambench.lab.measure.validation.cases import CONFIGURATIONS, MICRO, QUICK, Case, cases
from streambench.lab.measure.validation.measure import SECONDS, Validation
from streambench.lab.record import results
from streambench.lab.record.journal import Journal, Record, data_state, identity
from streambench.lab.record.journaled_document import begin, document, end
from streambench.lab.record.newest_result import result_path
from streambench.lab.record.validation_summary import KIND
from streambench.lab.show.console import LiveLine, tell_warnings
from streambench.lab.show.marked_block import marks, with_block
from streambench.lab.show.output import as_text, check_places, write_all
from streambench.lab.show.validation_table import MARK, disturbed, markdown, sentence, terminal
from streambench.lab.simulate.times import measure
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


@click.command()
@click.option(
    "--engines",
    type=words(tuple(CONFIGURATIONS)),
    default=",".join(CONFIGURATIONS),
    show_default=True,
    help="Which engines, with commas.",
)
@click.option(
    "--workloads",
    type=words(),
    default=",".join((*PAPER_QUERIES, *MICRO)),
    show_default=True,
    help="Queries, and parametric pipelines by their operators' kinds, with commas.",
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
    "--run-time",
    "seconds",
    default=f"{SECONDS:g}s",
    show_default=True,
    callback=parse_duration,
    metavar="TIME",
    help="About how long a real run lasts.",
)
@click.option(
    "--budget",
    callback=parse_duration,
    metavar="TIME",
    help="Stop after that long; the same call goes on from there.",
)
@data_option
@results_folder("Where the dated result file goes, and until it is finished the journal.")
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
@restart
def command(**given: Any) -> None:
    """Compare the simulator with real runs here, on 1 and 2 workers, and say how far it is off.

    Of each configuration there is a real run, the profile run that feeds the simulation, the real run again, and the
    simulation. Prints the errors by group, what three queries' errors tell of the other two, and the worst of what is
    off by more than the median may be; writes a dated JSON file. A call that was interrupted, or whose --budget was
    spent, goes on where it stopped when it is given again. Without --data, data are generated at scale factor 0.01 and
    kept in data/.

    \b
    Examples:
      streambench simulate validate
      streambench simulate validate --cases all --budget 200s
      streambench simulate validate --workloads q1,q4,ps --cases 20
      streambench simulate validate --engines ordered --cases all
      streambench simulate validate --from latest --markdown docs/simulator.md
    """
    page = given["page"]
    if page is not None:
        check_places({"--markdown": page})
        with_block(page, MARK, "")  # a page without the marks is told before anything is measured
    if given["source"] is not None:
        why = "is of what is measured, and --from measures nothing"
        refuse_given(why, "engines", "workloads", "most", "seconds", "budget", "data", "folder", "restart")
        path = result_path(given["source"], (KIND,))
        found = results.read_of(path, KIND)
        with results.whole(path, "what was compared is not told"):
            text = None if page is None else markdown(found, path.name)
        _show(found, page, text)
        return
    if given["seconds"] > LONGEST_RUN:
        raise OptionError(f"--run-time must be at most {LONGEST_RUN}s, not {given['seconds']:g}s.")
    chosen = cases(given["engines"], given["workloads"], given["most"])
    results.check_folder(given["folder"])
    queries = sorted({each.workload for each in chosen} & set(PAPER_QUERIES))
    data = _data(given["data"], queries)
    call = begin()
    messages = Console(stderr=True)
    tell_warnings(messages, call["warnings"])
    plan = {"cases": [each.to_dict() for each in chosen], "seconds": given["seconds"]}
    key = identity(plan, data_state(data, queries, "paper"), call["machine"])
    of = len(cases(given["engines"], given["workloads"], None))
    described = {} if data is None else data_description.describe(data)
    described |= {"seconds": given["seconds"], "cases": len(chosen), "of": of}
    with Journal(given["folder"], KIND, key, restart=given["restart"]) as journal:
        document = _measured(chosen, data, journal, described, call, given)
        written = results.write(document, given["folder"])
        journal.remove()
    tell_warnings(messages, document["warnings"], told=call["warnings"])
    found = results.read(written)
    _show(found, page, None if page is None else markdown(found, written.name))
    Console().print(f"result: {written}", soft_wrap=True, highlight=False, markup=False)
    wrong = sum(not run["sequence_ok"] for run in document["runs"])
    if wrong:
        raise StreambenchError(f"{wrong} of {len(document['runs'])} configurations had a wrong run and have no number.")


def _data(place: Path | None, queries: Sequence[str]) -> Catalog | None:
    if not queries:
        return None
    if place is not None:
        return Catalog.open(place)
    with LiveLine() as line:
        return Catalog.open(
            generated(SCALE, progress=lambda step, done: line.step(f"generating {step}", round(100 * done), 100, "%"))
        )


def _measured(
    chosen: Sequence[Case],
    data: Catalog | None,
    journal: Journal,
    described: dict[str, Any],
    call: Record,
    given: dict[str, Any],
) -> dict[str, Any]:
    """The result document, of which some cases may have been measured by earlier calls."""
    with SweepProgress(len(chosen), KIND, "configurations") as progress:
        times = measure()
        validation = Validation(chosen, data, journal, times, seconds=given["seconds"], report=progress.report)
        progress.begin(len(validation.runs))
        journal.append({**call, "warnings": [*call["warnings"], *times.warnings]})
        why, code = "the budget is spent", 0
        try:
            runs = validation.measure(given["budget"])
        except KeyboardInterrupt:
            runs, why, code = None, "interrupted", 130
        if runs is None:
            progress.say(
                f"{why}; {len(validation.runs)} of {len(chosen)} configurations are kept, the same command goes on "
                "from there"
            )
            raise SystemExit(code)
    journal.append(end())
    return document(KIND, described, runs, journal.records)


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

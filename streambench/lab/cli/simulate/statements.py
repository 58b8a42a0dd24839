"""`streambench simulate statements`: what the paper says of 8, 12 and 16 cores, judged by a simulated sweep."""

from __future__ import annotations

from pathlib import Path

from streambench.errors import StreambenchError
from streambench.lab.claims import statements_table as shown
from streambench.lab.claims.statements import judge_statements
from streambench.lab.cli.options import argument, command_of, command_options, group, option
from streambench.lab.cli.report_files import ReportFiles, report_files
from streambench.lab.cli.shared_options import RESULT
from streambench.lab.record import results
from streambench.lab.record.newest_result import all_of
from streambench.lab.record.simulation_summary import KIND
from streambench.lab.record.statistics import FEWEST_REPEATS
from streambench.lab.show.marked_block import with_block
from streambench.lab.show.output import as_text, check_places, json_text, write_all


@command_options
class StatementsOptions:
    """What the statements are judged by, and ``page``: where the table goes, too."""

    source: str = argument(**RESULT)
    page: Path | None = option(
        "Also write the table into this page, between its lines `<!-- statements: begin -->` and "
        "`<!-- statements: end -->`.",
        metavar="PAGE",
    )
    report: ReportFiles = group(report_files, ReportFiles)


@command_of(StatementsOptions)
def command(options: StatementsOptions) -> None:
    """Look for what the paper says of 8, 12 and 16 cores in a simulation at the paper's costs.

    RESULT is a result file of bench sweep --simulated --costs-of paper, a folder of results, whose newest such of six
    repeats or more counts, or latest, that of results/. Each statement holds, does not hold, or cannot be told;
    whatever they are, the exit code is 0. Nothing of it was measured on so many cores.

    \b
    Examples:
      streambench bench sweep --simulated --preset paper --costs-of paper
      streambench simulate statements
      streambench simulate statements --page docs/simulator.md
    """
    page, report = options.page, options.report
    report.check()
    if page is not None:
        check_places({"--page": page})
    place = _place(options.source)
    document = results.read(place)
    with results.whole(place, "what was simulated is not told"):
        judged = judge_statements(document)
        text = shown.page(document, judged)
    whole = None if page is None else with_block(page, shown.MARK, text)  # before anything is printed
    report.give(shown.terminal(document, judged), 100, lambda: json_text(shown.plain(document, judged)), lambda: text)
    if page is not None and whole is not None:
        write_all({page: as_text(whole)})


def _place(source: str) -> Path:
    """The file, or of a folder the newest at the paper's costs whose repeats suffice to tell anything."""
    folder = Path("results") if source == "latest" else Path(source)
    if source != "latest" and not folder.is_dir():
        return folder
    for each in reversed(all_of(folder, (KIND,))):
        parameters = results.read(each)["parameters"]
        if parameters.get("costs") == "paper" and parameters["repeats"] >= FEWEST_REPEATS:
            return each
    raise StreambenchError(
        f"there is no result file of `streambench bench sweep --simulated --costs-of paper` in {folder} with "
        f"{FEWEST_REPEATS} repeats or more: make one first"
    )

"""`streambench join-bench`: the benchmark of paper 001, section VI, its table, its result file and its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.cli.bench_progress import BenchProgress
from streambench.cli.comma_list import numbers, words
from streambench.cli.shared_options import restart, results_folder
from streambench.errors import StreambenchError
from streambench.figures import draw
from streambench.measure.joins.case_studies import CASE_STUDIES
from streambench.measure.joins.crews import JOINS, TIERS
from streambench.measure.joins.measure import join_bench, runs_kept
from streambench.measure.joins.settings import PRESETS, Settings
from streambench.record import results
from streambench.record.join_summary import KIND, table, wrong
from streambench.record.journal import Journal, Record, identity
from streambench.record.journaled_document import begin
from streambench.show.console import tell_warnings
from streambench.show.output import STDOUT, as_json, check_places, json_text, write_all


@click.command(name=KIND, short_help="Measure joins of two streams as paper 001 does.")
@click.option(
    "--preset",
    type=click.Choice(tuple(PRESETS)),
    default="quick",
    show_default=True,
    help="Windows of 5, 10 and 15 minutes as in the paper, or of 1, 2 and 3 seconds, in a minute or two.",
)
@click.option("--join", "joins", type=words(tuple(JOINS)), help="Which joins, with commas.  [default: scale,handshake]")
@click.option("--tiers", type=words(TIERS), metavar="NAME,..", help=f"Which tiers.  [default: {','.join(TIERS)}]")
@click.option("--threads", type=numbers(int, 1), help="Numbers of threads, with commas.  [default: 1 and all cores]")
@click.option("--windows", type=numbers(float), metavar="S,..", help="Seconds of event time in a window.")
@click.option("--repeats", type=int, metavar="N", help="Runs of each point.  [default: 7; quick: 3]")
@click.option("--seconds", type=float, metavar="S", help="What a run's steady phase lasts, about.")
@click.option(
    "--load", type=float, metavar="X", help="Of the sustainable rate, where latency is measured.  [default: 0.8]"
)
@click.option("--most-tuples", type=int, metavar="N", help="In a window: rates that need more are not tried.")
@click.option(
    "--studies", type=words(tuple(CASE_STUDIES)), help=f"Which case studies.  [default: {','.join(CASE_STUDIES)}]"
)
@click.option("--study-seconds", type=float, metavar="S", help="What one lasts.  [default: 300; quick: 3]")
@click.option("--gates/--no-gates", default=None, help="Also measure gates by themselves.  [default: --gates]")
@click.option("--seed", type=int, metavar="N", help="Of the tuples.  [default: 1]")
@click.option("--json", "json_path", type=click.Path(path_type=Path), metavar="FILE|-", help="Also write the rows.")
@results_folder(
    "Where the dated result file goes, beside it a folder of the same name with its figures, and until it is finished "
    "the journal."
)
@click.option("--require-idle", is_flag=True, help="Refuse to measure while others keep the cores busy.")
@restart
def command(preset: str, json_path: Path | None, folder: Path, require_idle: bool, restart: bool, **given: Any) -> None:
    """Measure comparisons and tuples per second, balance and latency of joins, as paper 001 does.

    Two streams of the paper's tuples, generated in memory, with bands over integers and floats. Windows are filled
    before anything is measured. For each window the rate is searched that is sustained; runs at it are interleaved,
    repeated, and each one's output is checked. A call that was interrupted goes on where it stopped when it is given
    again.

    \b
    Examples:
      streambench join-bench
      streambench join-bench --preset paper --tiers index,codes
      streambench join-bench --tiers scan --threads 1,2 --windows 2 --json rows.json
    """
    wanted = Settings(**{**PRESETS[preset], **{name: each for name, each in given.items() if each is not None}})
    results.check_folder(folder)
    if json_path is not None and json_path != STDOUT:
        check_places({"--json": json_path})
    messages = Console(stderr=True)
    console = messages if json_path == STDOUT else Console()
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=150, stderr=json_path == STDOUT)
    call = begin()
    if require_idle and call["busy"]:
        raise StreambenchError(f"{call['busy']}; nothing was measured, since --require-idle was given.")
    tell_warnings(messages, call["warnings"])
    with Journal(folder, KIND, identity(wanted.plain(), [], call["machine"]), restart=restart) as journal:
        document = _measured(wanted, journal, call, messages)
        console.print(table(document["summary"]))
        tell_warnings(messages, document["warnings"], told=call["warnings"])
        written = results.write(document, folder)
        journal.remove()
    console.print(f"result: {written}", soft_wrap=True, highlight=False)
    if bad := wrong(document["summary"]):
        raise StreambenchError(f"wrong results, which have no number: {', '.join(bad)}.")
    for figure in draw(document, written.with_suffix(""), tell=lambda sentence: tell_warnings(messages, [sentence])):
        console.print(f"figure: {figure}", soft_wrap=True, highlight=False)
    if json_path == STDOUT:
        click.echo(json_text(document["summary"]), nl=False)
    elif json_path is not None:
        write_all({json_path: as_json(document["summary"])})


def _measured(wanted: Settings, journal: Journal, call: Record, messages: Console) -> dict[str, Any]:
    """The result document, of which some runs may have been measured by earlier calls."""
    with BenchProgress(messages, KIND) as progress:
        if kept := runs_kept(journal.records):
            progress.say(f"{kept} runs kept from before")
        try:
            return join_bench(wanted, progress.report, journal=journal, call=call)
        except KeyboardInterrupt:
            kept = runs_kept(journal.records)
            progress.say(f"interrupted; {kept} runs are kept, the same command goes on from there")
            raise SystemExit(130) from None

"""`streambench topk-bench`: the benchmark of paper 002, section 5, its table, its result file and its figures."""

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
from streambench.measure.heavy_hitters.designs import DESIGNS
from streambench.measure.heavy_hitters.measure import runs_kept, topk_bench
from streambench.measure.heavy_hitters.points import FIGURES, chosen
from streambench.measure.heavy_hitters.settings import PRESETS, Settings
from streambench.record import results
from streambench.record.journal import Journal, Record, identity
from streambench.record.journaled_document import begin
from streambench.record.topk_summary import KIND, table, wrong
from streambench.show.console import tell_warnings
from streambench.show.output import STDOUT, as_json, check_places, json_text, write_all


@click.command(name=KIND, short_help="Measure summaries of heavy hitters as paper 002 does.")
@click.option(
    "--preset",
    type=click.Choice(tuple(PRESETS)),
    default="quick",
    show_default=True,
    help="Six values of α, up to 32 streams of a million items as in the paper, or fewer of all, in about two minutes.",
)
@click.option(
    "--designs", type=words(tuple(DESIGNS)), metavar="NAME,..", help="Which designs.  [default: all of many streams]"
)
@click.option("--alphas", type=numbers(float, 0), metavar="X,..", help="Of Zipf's law, the skew of the streams.")
@click.option("--streams", type=numbers(int, 1), metavar="N,..", help="Numbers of streams, a thread for each.")
@click.option("--items", type=int, metavar="N", help="Of a stream.  [default: 1000000; quick: 100000]")
@click.option("--epsilon", type=float, metavar="X", help="Of all items, what a count is wrong by at most.")
@click.option("--repeats", type=int, metavar="N", help="Runs of each point.  [default: 7; quick: 3]")
@click.option(
    "--query-every",
    type=int,
    metavar="N",
    help="Items between two queries of a design that merges to answer, 0 for none.  [default: 50000]",
)
@click.option(
    "--failing",
    type=numbers(float, 0),
    metavar="X,..",
    help="Probabilities that a read finds no item; where one may, shared and cooperative are measured at α from 1.5.",
)
@click.option("--only", type=words(), metavar="FIGURE,..", help=f"What these figures need: {','.join(FIGURES)}.")
@click.option("--seed", type=int, metavar="N", help="Of the streams.  [default: 1]")
@click.option("--json", "json_path", type=click.Path(path_type=Path), metavar="FILE|-", help="Also write the rows.")
@results_folder(
    "Where the dated result file goes, beside it a folder of the same name with its figures, and until it is finished "
    "the journal."
)
@click.option("--require-idle", is_flag=True, help="Refuse to measure while others keep the cores busy.")
@restart
def command(
    preset: str,
    json_path: Path | None,
    folder: Path,
    only: tuple[str, ...] | None,
    require_idle: bool,
    restart: bool,
    **given: Any,
) -> None:
    """Measure updates per second of summaries of heavy hitters, and where their time goes, as paper 002 does.

    Zipf's law over 5 million items, generated in memory, a thread for each stream, all into one summary. Runs are
    interleaved and repeated; each one's answer is checked against exact counts. Time by operation is taken in runs of
    their own. A call that was interrupted goes on where it stopped when it is given again.

    \b
    Examples:
      streambench topk-bench
      streambench topk-bench --preset paper --only 5,6,8
      streambench topk-bench --designs shared,cooperative --alphas 1.5 --streams 4 --json rows.json
    """
    changed = {name: each for name, each in given.items() if each is not None}
    wanted = Settings(**{**PRESETS[preset], **({"figures": chosen(only)} if only else {}), **changed})
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
    for figure in draw(document, written.with_suffix(""), wanted.drawn, lambda each: tell_warnings(messages, [each])):
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
            return topk_bench(wanted, progress.report, journal=journal, call=call)
        except KeyboardInterrupt:
            kept = runs_kept(journal.records)
            progress.say(f"interrupted; {kept} runs are kept, the same command goes on from there")
            raise SystemExit(130) from None

"""`streambench run`: one query or own pipeline, once, by one engine, with its sequence and answer checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.errors import OptionError, StreambenchError
from streambench.execution.decisions import MOST_KEPT
from streambench.execution.execute import Watch
from streambench.execution.options import ENGINES, Options
from streambench.execution.settled import settle
from streambench.lab.atomic_file import Writer
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.own_pipelines import own_workloads
from streambench.lab.cli.resident import check_resident, serve
from streambench.lab.cli.run_on_cluster import ON_CLUSTER, master, run_on_cluster
from streambench.lab.cli.runtime_options import at_least_one, runtime_notes, runtime_options, tell_if_long
from streambench.lab.cli.shared_options import data_option, oracle, parameter_set
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.named import named_workloads
from streambench.lab.record import decision_log
from streambench.lab.show.console import LiveLine
from streambench.lab.show.live_view import LiveView
from streambench.lab.show.names import has_names, with_names
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, parquet, write_all
from streambench.lab.show.profile_table import profile_table
from streambench.lab.show.run_summary import print_answer, print_summary, stream_console
from streambench.lab.workloads.approximate import require_approximate, workload_of
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.result import RunResult
from streambench.lab.workloads.runner import run_workload
from streambench.lab.workloads.workload import Workload

FILES = ("out", "emitted", "timeline", "decisions")
OF_QUERIES = ("parameters", "laps", "preload", "sort", "out", "names", "approximate")


@click.command()
@click.argument("query")
@data_option
@oracle
@runtime_options.but("--engine", type=click.Choice((*ENGINES, ON_CLUSTER)))
@master
@click.option(
    "--laps",
    type=int,
    default=1,
    show_default=True,
    callback=at_least_one,
    help="Replay the stream that often, as one longer stream.",
)
@click.option(
    "--preload/--no-preload",
    default=None,
    help="Hold the stream in memory, so that reading is not measured.  [default: only for --laps and --sort]",
)
@parameter_set
@click.option(
    "--approximate",
    type=float,
    metavar="EPSILON",
    help="Of q1 and q2: count in bounded memory; no count is too high by more than this share of all.",
)
@click.option("--sort", is_flag=True, help="Put a stream that is not in replay order into it first, in memory.")
@click.option("--out", type=LocalPath(path_type=Path), metavar="FILE", help="Write the answer there (Parquet).")
@click.option(
    "--emitted", type=LocalPath(path_type=Path), metavar="FILE", help="Write the sink's output sequence (Parquet)."
)
@click.option(
    "--json",
    "json_out",
    type=LocalPath(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Write the result (JSON).",
)
@click.option("--check/--no-check", default=True, show_default=True, help="Check sequence and answer after the run.")
@click.option(
    "--worker-time",
    "profile",
    is_flag=True,
    help="Show where the workers' time went, and the reorder buffers' rare events.",
)
@click.option(
    "--timeline",
    type=LocalPath(path_type=Path),
    metavar="FILE",
    help="Write what each worker did when: a picture (.png, .svg, .pdf), a table (.csv) or a Perfetto trace (.json).",
)
@click.option(
    "--decisions",
    type=LocalPath(path_type=Path),
    metavar="FILE",
    help="Of --engine ordered: write what its controller was told and has decided, for `streambench replay`: some "
    "10 kB for a second of the run, up to 80 kB while it looks most often. The first "
    f"{MOST_KEPT:,} decisions are kept, in 10 to 70 MB of memory by the number of operators.",
)
@click.option("--live", is_flag=True, help="Show rates, what waits where and latencies while it runs.")
@click.option(
    "--resident",
    is_flag=True,
    help="Load once, then run for each line that is read, and print a line of JSON each: for programs that compare.",
)
@click.option("--names", is_flag=True, help="Write your own names into --out, where the data has dictionaries.")
@click.option("--quiet", is_flag=True, help="No progress and no summary; errors only.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Run QUERY (q1, q2, q3, q4, q15, ysb or qjoin) over the data directory DIR and print what it took and its answer.

    QUERY may be module:function, too: a function that returns a new Pipeline in every call, and is called once for each
    run; with --data FILE it is given the file's rows, as a pyarrow Dataset that can stand in the source's place. Its
    output sequence is checked against the serial engine's, and with --oracle against SQL.

    The run is checked: its output sequence against the serial engine's and SQL's, its answer against SQL's. A run that
    is wrong has no number, writes no file, and exits with 1. Files are written when all has succeeded, and replace old
    ones.

    With --approximate each count is an interval, lower to n. SQL says whether all hold the true counts, and what share
    of the true answer is found.

    With --engine spark the tasks of a cluster run q1, q2, q3, q4 or q15, each by the engine ordered with --workers
    workers, on --partitions partitions of the keys; the answer is checked against SQL's.

    With --laps the answer and the sequence are those of the longer stream. Where that is too long for SQL it checks one
    lap, and what each of them causes.

    \b
    Examples:
      streambench run q1 --data data/sf0.01 --workers 2
      streambench run q2 --data data/sf0.1 --engine serial --out answer.parquet
      streambench run q2 --data data/sf0.1 --approximate 1e-4
      streambench run q3 --data data/sf0.1 --laps 20 --unit 256 --partitions 64 --json run.json
      streambench run q4 --data data/sf0.1 --rate 250k --no-check
      streambench run q2 --data data/sf0.1 --heuristic lp --reorder lock --worker-time
      streambench run q2 --data data/sf0.1 --laps 20 --timeline q2.json
      streambench run q2 --data data/sf0.1 --laps 20 --decisions q2.log.gz
      streambench run q2 --data data/sf0.1 --laps 200 --live
      streambench run q1 --data data/bakery --names --out pairs.parquet
      streambench run q1 --data data/sf0.01 --quiet --json - | jq .throughput
      yes | head -n 20 | streambench run q4 --data data/sf0.1 --no-check --resident --json - | jq .throughput
      streambench run q4 --data /shared/sf100 --engine spark --master spark://head:7077
      streambench run readings:build --oracle records.sql --workers 2
      streambench run readings:count --data readings.parquet --emitted counts.parquet
    """
    if given["engine"] == ON_CLUSTER:
        _require_out(given)
        run_on_cluster(ctx, given)
        return
    if given["master"] is not None:
        raise OptionError("--master belongs to --engine spark: leave it out.")
    options = settle(_options(given))
    if given["decisions"] is not None and options.engine != "ordered":
        raise OptionError(
            f"--decisions are those of --engine ordered, and {options.engine} takes none: leave out one of them."
        )
    if given["live"] and given["quiet"]:
        raise OptionError("--live shows what --quiet keeps back: leave out one of them.")
    if given["resident"]:
        check_resident(given)
    if given["oracle"] is not None and not given["check"]:
        raise OptionError("--oracle is part of the check: leave out --no-check.")
    name = given["query"]
    if given["approximate"] is not None:
        require_approximate(name, given["approximate"])
    named_workloads([name])  # an unknown one is told before what its data lack
    own = own_workloads([name], given["oracle"], OF_QUERIES, given["data"], in_memory=False).get(name)
    _require_out(given)
    data = None if own is not None else _catalog(ctx, given["data"])
    to_stdout = given["json_out"] == STDOUT
    places = {f"--{name}": given[name] for name in FILES if given[name] is not None}
    if given["json_out"] is not None and not to_stdout:
        places["--json"] = given["json_out"]
    if given["timeline"] is not None:
        from streambench.lab.show import timeline_file  # and with it all figures, which take time to import

        timeline_file.check_format(given["timeline"], options)
    notes = _notes(ctx, given, options)
    check_places(places, data)
    console = stream_console(stderr=to_stdout, quiet=given["quiet"])
    for note in notes:
        console.print(f"[yellow]note:[/yellow] {note}")
    if given["resident"]:
        with LiveLine(given["quiet"]) as line:
            workload = own or _query(given, data, options, line)
        serve(
            lambda: _content(workload, _right(run_workload(workload, options, check=given["check"], keep_answer=False)))
        )
        return
    workload, result = _run(given, own, data, options, console)
    print_summary(console, result, "own pipeline" if isinstance(workload, OwnWorkload) else workload.query.title)
    _right(result, " No file was written." if places else "")
    if given["names"] and isinstance(workload, Workload) and not has_names(workload.query, workload.data):
        console.print("[yellow]note:[/yellow] the data has no dictionaries for this answer: --names changes nothing.")
    write_all(_writers(given, workload, options, result, to_stdout))
    if given["profile"]:
        console.print()
        console.print(profile_table(result.profile))
    if isinstance(workload, Workload):
        print_answer(console, result, workload.query, workload.data)
    if result.decisions is not None and result.decisions.asked > (kept := len(result.decisions.rows)):
        console.print(
            f"[yellow]note:[/yellow] the log holds the first {kept:,} of {result.decisions.asked:,} decisions."
        )
    for path in places.values():
        console.print(f"written: {path}", soft_wrap=True, markup=False)
    if to_stdout:
        click.echo(json_text(_content(workload, result)), nl=False)


def _require_out(given: dict[str, Any]) -> None:
    """Raise OptionError for names that no file is to have."""
    if given["names"] and given["out"] is None:
        raise OptionError("--names writes names into --out: add --out FILE, or leave it out.")


def _right(result: RunResult, kept_back: str = "") -> RunResult:
    if result.sequence_ok is False or result.answer_ok is False:
        raise StreambenchError(f"The run is wrong: {result.problem}{kept_back}")
    return result


def _catalog(ctx: click.Context, data: Path | None) -> Catalog:
    if data is None:
        (missing,) = (each for each in ctx.command.params if each.name == "data")
        raise click.MissingParameter(ctx=ctx, param=missing)
    return Catalog.open(data)


def _run(
    given: dict[str, Any], own: OwnWorkload | None, data: Catalog | None, options: Options, console: Console
) -> tuple[Workload | OwnWorkload, RunResult]:
    with LiveLine(given["quiet"]) as line:
        workload = own or _query(given, data, options, line)
        tell_if_long(console, workload.rows * options.laps, options.rate)
        title, total = f"{workload.name} ({options.engine})", workload.rows * options.laps
        against = "the serial engine" if own is not None and own.oracle is None else "the serial engine and SQL"
        then = f"checking against {against}" if given["check"] else None

        def run(watch: Watch) -> RunResult:
            return run_workload(
                workload,
                options,
                check=given["check"],
                keep_answer=_shows_answer(given, workload, options),
                keep_emitted=given["emitted"] is not None,
                profiled=given["profile"] or given["timeline"] is not None,
                recorded=given["decisions"] is not None,
                watch=watch,
            )

        if not given["live"]:
            return workload, run(line.watch(title, total, then))
        line.give_way()
        with LiveView(Console(stderr=True), title, total, then) as view:
            return workload, run(view)


def _shows_answer(given: dict[str, Any], workload: Workload | OwnWorkload, options: Options) -> bool:
    """An answer taken from the sequence of many laps is long: it is kept only where it is asked for."""
    return given["out"] is not None or (not given["quiet"] and (not workload.answer_needs_rows or options.laps == 1))


def _query(given: dict[str, Any], data: Catalog | None, options: Options, line: LiveLine) -> Workload:
    assert data is not None
    how: dict[str, Any] = {"preload": options.preload, "sort": options.sort, "progress": line.step}
    return workload_of(given["query"], data, given["parameters"], given["approximate"], **how)


def _options(given: dict[str, Any]) -> Options:
    preload = given["preload"]
    return Options(
        preload=_needs_preload(given) if preload is None else preload,
        laps=given["laps"],
        sort=given["sort"],
        **runtime_options.values(given),
    )


def _needs_preload(given: dict[str, Any]) -> bool:
    return given["laps"] > 1 or bool(given["sort"])


def _notes(ctx: click.Context, given: dict[str, Any], options: Options) -> list[str]:
    notes = []
    if given["preload"] is None and _needs_preload(given):
        why = "--laps" if given["laps"] > 1 else "--sort"
        notes.append(f"{why} needs the stream in memory, so it is preloaded.")
    return [*notes, *runtime_notes(ctx, options)]


def _writers(
    given: dict[str, Any], workload: Workload | OwnWorkload, options: Options, result: RunResult, to_stdout: bool
) -> dict[Path, Writer]:
    writers: dict[Path, Writer] = {}
    if given["out"] is not None and isinstance(workload, Workload):
        named = with_names(result.answer, workload.query, workload.data) if given["names"] else result.answer
        writers[given["out"]] = parquet(named)
    if given["emitted"] is not None:
        writers[given["emitted"]] = parquet(result.emitted)
    if given["timeline"] is not None:
        from streambench.lab.show import timeline_file

        writers[given["timeline"]] = timeline_file.writer(given["timeline"], options, result)
    if result.decisions is not None:
        writers[given["decisions"]] = decision_log.writer(result.decisions)
    if given["json_out"] is not None and not to_stdout:
        writers[given["json_out"]] = as_json(_content(workload, result))
    return writers


def _content(workload: Workload | OwnWorkload, result: RunResult) -> dict[str, Any]:
    if isinstance(workload, Workload):
        return result.to_json()
    return {**result.to_json(), "oracle": None if workload.oracle is None else workload.oracle.file.name}

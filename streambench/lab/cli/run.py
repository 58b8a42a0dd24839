"""`streambench run`: one query or own pipeline, once, by one engine, with its sequence and answer checked."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from streambench.errors import OptionError, StreambenchError
from streambench.execution.execute import Watch
from streambench.execution.options import OptionChanges, Options
from streambench.execution.settled import settle
from streambench.lab.atomic_file import Writer
from streambench.lab.cli.options import command_of
from streambench.lab.cli.outputs import Outputs
from streambench.lab.cli.own_pipelines import own_workloads
from streambench.lab.cli.resident import check_resident, serve
from streambench.lab.cli.run_on_cluster import run_on_cluster
from streambench.lab.cli.run_options import OF_QUERIES, RunOptions
from streambench.lab.cli.runtime_options import runtime_notes, tell_if_long
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.named import named_workloads
from streambench.lab.record import decision_log
from streambench.lab.show.console import LiveLine
from streambench.lab.show.live_view import LiveView
from streambench.lab.show.names import has_names, with_names
from streambench.lab.show.output import parquet
from streambench.lab.show.profile_table import profile_table
from streambench.lab.show.run_summary import print_answer, print_summary
from streambench.lab.workloads.approximate import require_approximate, workload_of
from streambench.lab.workloads.operator_cost import OperatorCost
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.result import RunResult
from streambench.lab.workloads.runner import run_workload
from streambench.lab.workloads.workload import Workload


@command_of(RunOptions)
def command(run: RunOptions) -> None:
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
      streambench run q2 --data data/sf0.01 --heuristic et --operator-cost 10us
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
    if run.on_cluster:
        run_on_cluster(run)
        return
    if run.master is not None:
        raise OptionError("--master belongs to --engine spark: leave it out.")
    options = settle(_options(run))
    _check(run, options)
    own = own_workloads([run.query], run.oracle, OF_QUERIES, run.data, in_memory=False).get(run.query)
    run.require_out()
    data = None if own is not None else _catalog(run)
    if run.timeline is not None:
        from streambench.lab.show import timeline_file  # and with it all figures, which take time to import

        timeline_file.check_format(run.timeline, options)
    notes = runtime_notes(click.get_current_context(), options)
    files = {f"--{name}": getattr(run, name) for name in ("out", "emitted", "timeline", "decisions")}
    outputs = Outputs(run.json_out, files, quiet=run.quiet, data=data)
    if run.preload is None and run.needs_preload is not None:
        outputs.note(f"{run.needs_preload} needs the stream in memory, so it is preloaded.")
    for note in notes:
        outputs.note(note)
    if run.resident:
        with LiveLine(run.quiet) as line:
            workload = own or _query(run, data, options, line)
        serve(lambda: _content(workload, _right(run_workload(workload, options, check=run.check, keep_answer=False))))
        return
    workload, result = _run(run, own, data, options, outputs.console)
    print_summary(outputs.console, result, workload.query.title if isinstance(workload, Workload) else "own pipeline")
    _right(result, outputs.kept_back)
    if run.names and isinstance(workload, Workload) and not has_names(workload.query, workload.data):
        outputs.note("the data has no dictionaries for this answer: --names changes nothing.")
    outputs.write(_writers(run, workload, options, result), lambda: _content(workload, result))
    if run.profile:
        outputs.console.print()
        outputs.console.print(profile_table(result.profile))
    if isinstance(workload, Workload):
        print_answer(outputs.console, result, workload.query, workload.data)
    if result.decisions is not None and result.decisions.asked > (kept := len(result.decisions.rows)):
        outputs.note(f"the log holds the first {kept:,} of {result.decisions.asked:,} decisions.")
    outputs.tell(lambda: _content(workload, result))


def _options(run: RunOptions) -> Options:
    preload = run.needs_preload is not None if run.preload is None else run.preload
    chosen: OptionChanges = {**run.runtime, "preload": preload, "laps": run.laps, "sort": run.sort}
    return Options(**chosen)


def _check(run: RunOptions, options: Options) -> None:
    """Raise OptionError for options that do not go together, or an unknown query, before its data are looked at."""
    if run.decisions is not None and options.engine != "ordered":
        raise OptionError(
            f"--decisions are those of --engine ordered, and {options.engine} takes none: leave out one of them."
        )
    if run.live and run.quiet:
        raise OptionError("--live shows what --quiet keeps back: leave out one of them.")
    if run.resident:
        check_resident(run)
    if run.oracle is not None and not run.check:
        raise OptionError("--oracle is part of the check: leave out --no-check.")
    if run.approximate is not None:
        require_approximate(run.query, run.approximate)
    OperatorCost.parse(run.operator_cost)
    named_workloads([run.query])


def _right(result: RunResult, kept_back: str = "") -> RunResult:
    if result.sequence_ok is False or result.answer_ok is False:
        raise StreambenchError(f"The run is wrong: {result.problem}{kept_back}")
    return result


def _catalog(run: RunOptions) -> Catalog:
    if run.data is None:
        context = click.get_current_context()
        (missing,) = (each for each in context.command.params if each.name == "data")
        raise click.MissingParameter(ctx=context, param=missing)
    return Catalog.open(run.data)


def _run(
    run: RunOptions, own: OwnWorkload | None, data: Catalog | None, options: Options, console: Console
) -> tuple[Workload | OwnWorkload, RunResult]:
    with LiveLine(run.quiet) as line:
        workload = own or _query(run, data, options, line)
        total = workload.rows * options.laps
        tell_if_long(console, total, options.rate)
        title = f"{workload.name} ({options.engine})"
        against = "the serial engine" if own is not None and own.oracle is None else "the serial engine and SQL"
        then = f"checking against {against}" if run.check else None

        def once(watch: Watch) -> RunResult:
            return run_workload(
                workload,
                options,
                check=run.check,
                keep_answer=_shows_answer(run, workload, options),
                keep_emitted=run.emitted is not None,
                profiled=run.profile or run.timeline is not None,
                recorded=run.decisions is not None,
                watch=watch,
            )

        if not run.live:
            return workload, once(line.watch(title, total, then))
        line.give_way()
        with LiveView(Console(stderr=True), title, total, then) as view:
            return workload, once(view)


def _shows_answer(run: RunOptions, workload: Workload | OwnWorkload, options: Options) -> bool:
    """An answer taken from the sequence of many laps is long: it is kept only where it is asked for."""
    return run.out is not None or (not run.quiet and (not workload.answer_needs_rows or options.laps == 1))


def _query(run: RunOptions, data: Catalog | None, options: Options, line: LiveLine) -> Workload:
    assert data is not None
    how: dict[str, Any] = {"preload": options.preload, "sort": options.sort, "progress": line.step}
    return workload_of(
        OperatorCost.parse(run.operator_cost).workload(run.query), data, run.parameters, run.approximate, **how
    )


def _writers(
    run: RunOptions, workload: Workload | OwnWorkload, options: Options, result: RunResult
) -> dict[str, Writer]:
    """What writes each file that was asked for, by its option."""
    writers: dict[str, Writer] = {}
    if run.out is not None and isinstance(workload, Workload):
        named = with_names(result.answer, workload.query, workload.data) if run.names else result.answer
        writers["--out"] = parquet(named)
    if run.emitted is not None:
        writers["--emitted"] = parquet(result.emitted)
    if run.timeline is not None:
        from streambench.lab.show import timeline_file

        writers["--timeline"] = timeline_file.writer(run.timeline, options, result)
    if result.decisions is not None:
        writers["--decisions"] = decision_log.writer(result.decisions)
    return writers


def _content(workload: Workload | OwnWorkload, result: RunResult) -> dict[str, Any]:
    if isinstance(workload, Workload):
        return result.to_json()
    return {**result.to_json(), "oracle": None if workload.oracle is None else workload.oracle.file.name}

"""`streambench micro`: a pipeline of the paper's parametric operators, once, with its sequence checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from streambench.errors import OptionError, StreambenchError
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.runtime_options import runtime_notes, runtime_options, tell_if_long
from streambench.lab.cli.shared_options import Decorator
from streambench.lab.show.console import LiveLine
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, write_all
from streambench.lab.show.run_summary import print_summary, stream_console
from streambench.lab.workloads.micro import KEYS, KINDS, MicroSpec, MicroWorkload, OperatorSpec, run_micro

DEFAULT = MicroSpec((OperatorSpec("sl", 10.0),), tuples=100_000)
STATE_SIZE = DEFAULT.operators[0].state_size
LABEL = 19  # where the summary's second column begins
FOR_EACH = numbers(float, takes="a number, or one for each operator with commas between them")


def operators_option(default: str) -> Decorator:
    """``--operators``, of a parametric pipeline."""
    return click.option(
        "--operators",
        default=default,
        show_default=True,
        type=words(KINDS),
        metavar="sl|ps,...",
        help="The pipeline: stateless (sl) and partitioned stateful (ps) operators, with commas.",
    )


@click.command()
@operators_option("sl")
@click.option(
    "--cost",
    default="10",
    show_default=True,
    type=FOR_EACH,
    metavar="US[,US...]",
    help="Of each operator's computation on a tuple, in microseconds of one thread; one for all, or one for each.",
)
@click.option(
    "--selectivity",
    default="1",
    show_default=True,
    type=FOR_EACH,
    metavar="S[,S...]",
    help="Outputs per tuple, also a fraction; one for all, or one for each.",
)
@click.option(
    "--tuple-size", type=int, default=DEFAULT.tuple_size, show_default=True, help="64-bit values of a tuple's payload."
)
@click.option(
    "--state-size", type=int, default=STATE_SIZE, show_default=True, help="64-bit values of a key's state, in ps."
)
@click.option("--tuples", type=int, default=DEFAULT.tuples, show_default=True, help="How many the stream has.")
@click.option(
    "--keys", type=click.Choice(KEYS), default=DEFAULT.keys, show_default=True, help="How the stream's keys are spread."
)
@click.option(
    "--sigma",
    type=float,
    default=DEFAULT.sigma,
    show_default=True,
    help="Of normal keys: the smaller, the more skewed.",
)
@click.option(
    "--exponent",
    type=float,
    default=DEFAULT.exponent,
    show_default=True,
    help="Of zipf keys: the larger, the more skewed.",
)
@click.option(
    "--key-space", type=int, default=DEFAULT.key_space, show_default=True, help="Keys are from 0 to one less than this."
)
@click.option("--seed", type=int, default=DEFAULT.seed, show_default=True, help="Of the keys.")
@click.option(
    "--hot", type=float, default=DEFAULT.hot, show_default=True, help="After the change, the part of one key."
)
@click.option(
    "--dearer", type=float, default=DEFAULT.dearer, show_default=True, help="After the change, times the cost."
)
@click.option(
    "--change-at",
    type=float,
    default=DEFAULT.change_at,
    show_default=True,
    help="The part of the stream after which it changes, with --hot or --dearer.",
)
@runtime_options
@click.option(
    "--json",
    "json_out",
    type=LocalPath(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Write the result (JSON).",
)
@click.option("--check/--no-check", default=True, show_default=True, help="Check the sequence after the run.")
@click.option("--quiet", is_flag=True, help="No progress and no summary; errors only.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Run a pipeline of the paper's parametric operators and print what it took.

    Each operator multiplies a matrix with the tuple's payload, for as many rounds as take the given cost on this
    machine; a partitioned stateful one with the key's state, too. The output sequence is checked against the serial
    engine's; there is no SQL for it. A run that is wrong has no number, writes no file, and exits with 1.

    Units and plan are chosen while it runs; the paper's case is --unit 1 --no-fuse.

    \b
    Examples:
      streambench micro --cost 10 --workers 2
      streambench micro --operators sl,ps --cost 100 --selectivity 50,1 --tuples 2000 --unit 1 --no-fuse
      streambench micro --operators ps --cost 100 --tuples 20000 --keys normal --sigma 0.25 --partition-by range
      streambench micro --operators ps --cost 1 --keys zipf --exponent 1.2 --partitioning shared
      streambench micro --cost 10 --reorder lock --quiet --json - | jq .throughput
    """
    spec = _spec(given)
    _refuse_what_does_not_apply(ctx, given)
    options = settle(Options(preload=True, **runtime_options.values(given)))
    to_stdout = given["json_out"] == STDOUT
    places = {} if to_stdout or given["json_out"] is None else {"--json": given["json_out"]}
    check_places(places)
    console = stream_console(stderr=to_stdout, quiet=given["quiet"])
    for note in runtime_notes(ctx, options):
        console.print(f"[yellow]note:[/yellow] {note}")
    with LiveLine(given["quiet"]) as line:
        line.wait("drawing keys and calibrating costs")
        workload = MicroWorkload(spec)
        tell_if_long(console, workload.rows, options.rate)
        then = "checking against the serial engine" if given["check"] else None
        watch = line.watch(f"{spec.name} ({options.engine})", workload.rows, then)
        result = run_micro(workload, options, check=given["check"], watch=watch)
    print_summary(console, result, "parametric operators")
    for place, text in enumerate(_operator_lines(workload), start=1):
        console.print(f"[bold]{f'operator {place}':<{LABEL}}[/bold]{text}", soft_wrap=True)
    if result.sequence_ok is False:
        kept_back = " No file was written." if places else ""
        raise StreambenchError(f"The run is wrong: {result.problem}{kept_back}")
    content = {**result.to_json(), "micro": workload.describe(), "rounds": list(workload.rounds)}
    write_all({path: as_json(content) for path in places.values()})
    for path in places.values():
        console.print(f"written: {path}", soft_wrap=True, markup=False)
    if to_stdout:
        click.echo(json_text(content), nl=False)


def _refuse_what_does_not_apply(ctx: click.Context, given: dict[str, Any]) -> None:
    """Options of other keys or operators than those that were chosen."""
    typed = click.core.ParameterSource.COMMANDLINE
    needed = {
        "sigma": (given["keys"] == "normal", "--keys normal"),
        "exponent": (given["keys"] == "zipf", "--keys zipf"),
        "state_size": ("ps" in given["operators"], "an operator ps"),
        "change_at": (given["hot"] > 0 or given["dearer"] != 1, "--hot or --dearer"),
    }
    for name, (there, what) in needed.items():
        if not there and ctx.get_parameter_source(name) == typed:
            raise OptionError(f"--{name.replace('_', '-')} belongs to {what}: leave it out, or choose that.")


def _spec(given: dict[str, Any]) -> MicroSpec:
    kinds = given["operators"]
    costs = _for_each("--cost", given["cost"], len(kinds))
    selectivities = _for_each("--selectivity", given["selectivity"], len(kinds))
    operators = tuple(
        OperatorSpec(kind, cost, selectivity, given["state_size"])
        for kind, cost, selectivity in zip(kinds, costs, selectivities, strict=True)
    )
    names = ("tuples", "tuple_size", "keys", "sigma", "exponent", "key_space", "seed", "hot", "dearer", "change_at")
    return MicroSpec(operators, **{name: given[name] for name in names})


def _for_each(option: str, values: tuple[float, ...], operators: int) -> tuple[float, ...]:
    if len(values) not in (1, operators):
        found = f"{option} takes one number, not {len(values)}, as there is one operator."
        if operators > 1:
            found = f"{option} takes one number, or {operators}, one for each operator, not {len(values)}."
        raise OptionError(found)
    return values if len(values) == operators else values * operators


def _operator_lines(workload: MicroWorkload) -> list[str]:
    """What each operator was given, and the rounds that this came to."""
    size = workload.spec.tuple_size
    return [
        f"{each.kind}, {each.cost_us:g} µs ({rounds:,} rounds), selectivity {each.selectivity:g}, tuple size {size}"
        + (f", state size {each.state_size}" if each.kind == "ps" else "")
        for each, rounds in zip(workload.spec.operators, workload.rounds, strict=True)
    ]

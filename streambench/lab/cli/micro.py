"""`streambench micro`: a pipeline of the paper's parametric operators, once, with its sequence checked."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from streambench.errors import OptionError, StreambenchError
from streambench.execution.options import OptionChanges, Options
from streambench.execution.settled import settle
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.data_to_make import typed
from streambench.lab.cli.flags import Flag, flag
from streambench.lab.cli.options import command_of, command_options, group, option, shared
from streambench.lab.cli.outputs import Outputs
from streambench.lab.cli.runtime_options import runtime_notes, runtime_options, tell_if_long
from streambench.lab.cli.shared_options import json_output, quiet
from streambench.lab.show.console import LiveLine
from streambench.lab.show.run_summary import print_summary
from streambench.lab.workloads.micro import KEYS, KINDS, MicroSpec, MicroWorkload, OperatorSpec, run_micro

DEFAULT = MicroSpec((OperatorSpec("sl", 10.0),), tuples=100_000)
STATE_SIZE = DEFAULT.operators[0].state_size
LABEL = 19  # where the summary's second column begins
FOR_EACH = numbers(float, takes="a number, or one for each operator with commas between them")


def operators_option(default: str) -> Flag:
    """``--operators``, of a parametric pipeline."""
    return flag(
        "--operators",
        default=default,
        show_default=True,
        type=words(KINDS),
        metavar="sl|ps,...",
        help="The pipeline: stateless (sl) and partitioned stateful (ps) operators, with commas.",
    )


@command_options
class MicroOptions:
    """What is run: fields as those of ``MicroSpec`` and of ``OperatorSpec``; ``runtime``: of the engine."""

    operators: tuple[str, ...] = shared(operators_option("sl"))
    cost: tuple[float, ...] = option(
        "Of each operator's computation on a tuple, in microseconds of one thread; one for all, or one for each.",
        "10",
        type=FOR_EACH,
        metavar="US[,US...]",
    )
    selectivity: tuple[float, ...] = option(
        "Outputs per tuple, also a fraction; one for all, or one for each.", "1", type=FOR_EACH, metavar="S[,S...]"
    )
    tuple_size: int = option("64-bit values of a tuple's payload.", DEFAULT.tuple_size)
    state_size: int = option("64-bit values of a key's state, in ps.", STATE_SIZE)
    tuples: int = option("How many the stream has.", DEFAULT.tuples)
    keys: str = option("How the stream's keys are spread.", DEFAULT.keys, type=click.Choice(KEYS))
    sigma: float = option("Of normal keys: the smaller, the more skewed.", DEFAULT.sigma)
    exponent: float = option("Of zipf keys: the larger, the more skewed.", DEFAULT.exponent)
    key_space: int = option("Keys are from 0 to one less than this.", DEFAULT.key_space)
    seed: int = option("Of the keys.", DEFAULT.seed)
    hot: float = option("After the change, the part of one key.", DEFAULT.hot)
    dearer: float = option("After the change, times the cost.", DEFAULT.dearer)
    change_at: float = option(
        "The part of the stream after which it changes, with --hot or --dearer.", DEFAULT.change_at
    )
    runtime: OptionChanges = group(runtime_options)
    json_out: Path | None = shared(json_output)
    check: bool = option("Check the sequence after the run.", True, "--check/--no-check")
    quiet: bool = shared(quiet)


@command_of(MicroOptions)
def command(micro: MicroOptions) -> None:
    """Run a pipeline of the paper's parametric operators and print what it took.

    Each operator multiplies a matrix with the tuple's payload, for as many rounds as take the given cost on this
    machine; a partitioned stateful one with the key's state, too. The output sequence is checked against the serial
    engine's; there is no SQL for it. A run that is wrong has no number, writes no file, and exits with 1.

    Units and plan are chosen while it runs; the paper's case is --unit 1 --no-fuse --routing in-order.

    \b
    Examples:
      streambench micro --cost 10 --workers 2
      streambench micro --operators sl,ps --cost 100 --selectivity 50,1 --tuples 2000 --unit 1 --no-fuse
      streambench micro --operators ps --cost 100 --tuples 20000 --keys normal --sigma 0.25 --partition-by range
      streambench micro --operators ps --cost 1 --keys zipf --exponent 1.2 --partitioning shared
      streambench micro --cost 10 --reorder lock --quiet --json - | jq .throughput
    """
    spec = _spec(micro)
    context = click.get_current_context()
    _refuse_what_does_not_apply(context, micro)
    options = settle(Options.of(Options(preload=True), **micro.runtime))
    outputs = Outputs(micro.json_out, {}, quiet=micro.quiet)
    for note in runtime_notes(context, options):
        outputs.note(note)
    with LiveLine(micro.quiet) as line:
        line.wait("drawing keys and calibrating costs")
        workload = MicroWorkload(spec)
        tell_if_long(outputs.console, workload.rows, options.rate)
        then = "checking against the serial engine" if micro.check else None
        watch = line.watch(f"{spec.name} ({options.engine})", workload.rows, then)
        result = run_micro(workload, options, check=micro.check, watch=watch)
    print_summary(outputs.console, result, "parametric operators")
    for place, text in enumerate(_operator_lines(workload), start=1):
        outputs.console.print(f"[bold]{f'operator {place}':<{LABEL}}[/bold]{text}", soft_wrap=True)
    if result.sequence_ok is False:
        raise StreambenchError(f"The run is wrong: {result.problem}{outputs.kept_back}")

    def content() -> dict[str, Any]:
        return {**result.to_json(), "micro": workload.describe(), "rounds": list(workload.rounds)}

    outputs.write({}, content)
    outputs.tell(content)


def _refuse_what_does_not_apply(context: click.Context, options: MicroOptions) -> None:
    """Options of other keys or operators than those that were chosen."""
    needed = {
        "sigma": (options.keys == "normal", "--keys normal"),
        "exponent": (options.keys == "zipf", "--keys zipf"),
        "state_size": ("ps" in options.operators, "an operator ps"),
        "change_at": (options.hot > 0 or options.dearer != 1, "--hot or --dearer"),
    }
    for name, (there, what) in needed.items():
        for spelled in typed(context, (name,)) if not there else ():
            raise OptionError(f"{spelled} belongs to {what}: leave it out, or choose that.")


def _spec(options: MicroOptions) -> MicroSpec:
    kinds = options.operators
    costs = _for_each("--cost", options.cost, len(kinds))
    selectivities = _for_each("--selectivity", options.selectivity, len(kinds))
    operators = tuple(
        OperatorSpec(kind, cost, selectivity, options.state_size)
        for kind, cost, selectivity in zip(kinds, costs, selectivities, strict=True)
    )
    stream = {each.name: getattr(options, each.name) for each in fields(MicroSpec) if each.name != "operators"}
    return MicroSpec(operators, **stream)


def _for_each(option: str, values: tuple[float, ...], operators: int) -> tuple[float, ...]:
    if len(values) not in (1, operators):
        problem = f"{option} takes one number, not {len(values)}, as there is one operator."
        if operators > 1:
            problem = f"{option} takes one number, or {operators}, one for each operator, not {len(values)}."
        raise OptionError(problem)
    return values if len(values) == operators else values * operators


def _operator_lines(workload: MicroWorkload) -> list[str]:
    """What each operator was given, and the rounds that this came to."""
    size = workload.spec.tuple_size
    return [
        f"{each.kind}, {each.cost_us:g} µs ({rounds:,} rounds), selectivity {each.selectivity:g}, tuple size {size}"
        + (f", state size {each.state_size}" if each.kind == "ps" else "")
        for each, rounds in zip(workload.spec.operators, workload.rounds, strict=True)
    ]

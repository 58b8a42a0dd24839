"""What a single run prints: the summary table, and the first rows of the answer."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from streambench.execution.result_values import PlanChoice, SteadinessValues
from streambench.execution.warm_up import STEADY
from streambench.lab.data.catalog import Catalog
from streambench.lab.host import pins
from streambench.lab.record.summary import duration, human
from streambench.lab.show.facts import print_facts
from streambench.lab.show.first_rows import SHOWN_ROWS, print_rows
from streambench.lab.show.names import with_names
from streambench.lab.workloads.result import RunResult
from streambench.queries.query import Query

WIDTH = 120
WRONG = "[bold red]no[/bold red]"


def stream_console(*, stderr: bool, quiet: bool) -> Console:
    """Where a summary goes: standard output, or standard error where the former carries JSON."""
    console = Console(stderr=stderr, quiet=quiet, highlight=False)
    # A file or a pipe has no width: lines are not folded to 80 columns there.
    return console if console.is_terminal else Console(stderr=stderr, quiet=quiet, highlight=False, width=WIDTH)


def print_summary(console: Console, result: RunResult, title: str) -> None:
    """Print what was run, how fast, and whether it was right. A run that is wrong has no number."""
    wrong = False in (result.sequence_ok, result.answer_ok)
    options = result.options
    named = (options["heuristic"], options["reorder"], options["partitioning"])
    schemes = "".join(f", {each}" for each in named if each is not None)
    schemes += ", routed in order" if options["routing"] == "in-order" else ""
    idle = options["workers"] - result.working
    at_work = f" ({result.working} at work: one per core)" if idle else ""
    parallel = f", {options['workers']} workers{at_work}, {options['partitions']} partitions{schemes}"
    how = f"unit {options['unit'] or 'chosen'}, rate {human(options['rate']) + '/s' if options['rate'] else 'max'}"
    laps = f", {options['laps']} laps" if options["laps"] > 1 else ""
    offered = "" if result.offered is None else f", {human(result.offered)} offered"
    facts = {
        "query": f"{result.query}, {title}{f' ({result.parameter_set})' if result.parameter_set else ''}",
        "engine": result.engine + (parallel if result.engine != "serial" else ", 1 thread"),
        "options": f"{how}{laps}, {'preloaded' if options['preload'] else 'read as it goes'}",
        "plan": _plan(result.choices) if result.choices else None,
        "in flight": f"at most {result.choices[-1]['in_flight']} units" if result.choices else None,
        "tuples": f"{result.tuples:,} in, {result.output_tuples:,} out",
        "seconds": "-" if wrong else f"{result.seconds:.3f}",
        "throughput": "-" if wrong else f"{human(result.throughput)} tuples/s{offered}",
        "latency": "-" if wrong else _latency(result.latency),
        "end to end": "-" if wrong and result.latency_end_to_end is not None else _latency(result.latency_end_to_end),
        "steady": "-" if wrong else _steady(result.steadiness),
        "disturbed": f"by {', '.join(result.host['disturbed_by'])}: distrust the numbers" if result.disturbed else None,
        **(_approximation(result.approximation) if result.approximation is not None else {}),
        "digest": result.digest,
        "sequence verified": verdict(result.sequence_ok),
        "answer verified": verdict(result.answer_ok),
    }
    print_facts(console, facts)
    loose = pins.warning(result.unpinned)
    if loose:
        console.print(f"[yellow]note:[/yellow] {loose}")


def print_answer(console: Console, result: RunResult, query: Query, data: Catalog) -> None:
    """Print the first rows of the answer, with the user's own names where the data has them."""
    if result.answer is None:
        console.print("\nThe answer of so many laps was not kept: write it with --out.")
        return
    first = with_names(result.answer.slice(0, SHOWN_ROWS), query, data)
    print_rows(console, "answer", result.answer.num_rows, first)


def _steady(steadiness: SteadinessValues) -> str:
    """Whether the run came to rest, and when; it says itself where it was too short or too noisy."""
    if steadiness["verdict"] == STEADY:
        start = steadiness["warm_up_seconds"]
        return f"after {duration(start)}" if start else "from its start"
    return f"no: {steadiness['verdict']}; let it last longer, or distrust the numbers"


def _approximation(facts: dict[str, Any]) -> dict[str, str]:
    bound = f"no count is off by more than {facts['error_bound']:,}"
    counted = f"{facts['n']:,} pairs by {facts['counters']:,} counters"
    lines = {"approximate": f"to {facts['epsilon']:g}, {counted}: {bound}"}
    if "recall" in facts:
        quality = f"recall {facts['recall']:.3g}, precision {facts['precision']:.3g}"
        sure = f"{facts['guaranteed']:,} rows guaranteed, the greatest error is {facts['greatest_error']:,}"
        lines["against SQL"] = f"{quality}; {sure}"
    return lines


def _plan(choices: list[PlanChoice]) -> str:
    """The last choice, and how many there were before it."""
    last = choices[-1]
    before = f"; {last['number']} choices before, the last after {last['seconds']:.3g} s" if last["number"] else ""
    return f"{last['plan']}, unit {last['unit']}{before}"


def _latency(latency: dict[str, float] | None) -> str | None:
    labels = {"p50": "p50", "p90": "p90", "p99": "p99", "p999": "p99.9", "max": "max"}
    if latency is None:
        return None
    return ", ".join(f"{label} {duration(latency.get(name))}" for name, label in labels.items())


def verdict(ok: bool | None) -> str:
    """Of a check, in a word."""
    return "not checked" if ok is None else "yes" if ok else WRONG

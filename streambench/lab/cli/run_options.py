"""The options of `streambench run`."""

from __future__ import annotations

from pathlib import Path

import click

from streambench.errors import OptionError
from streambench.execution.decisions import MOST_KEPT
from streambench.execution.options import ENGINES, OptionChanges
from streambench.lab.cli.options import argument, command_options, group, option, shared
from streambench.lab.cli.runtime_options import count, runtime_options
from streambench.lab.cli.shared_options import ParameterSet, data_option, json_output, oracle, parameter_set, quiet

ON_CLUSTER = "spark"
OF_QUERIES = ("parameters", "laps", "preload", "sort", "out", "names", "approximate", "operator_cost")


@command_options
class RunOptions:
    """What a run was asked for. ``runtime``: of the engine; ``preload``: None: where laps or sorting need it."""

    query: str = argument()
    data: Path | None = shared(data_option)
    oracle: Path | None = shared(oracle)
    runtime: OptionChanges = group(runtime_options.but("--engine", type=click.Choice((*ENGINES, ON_CLUSTER))))
    master: str | None = option(
        "Of --engine spark: local[N], spark://HOST:PORT, yarn or k8s://URL.  [default: local[*]]", metavar="URL"
    )
    laps: int = count("Replay the stream that often, as one longer stream.", 1, metavar=None)
    preload: bool | None = option(
        "Hold the stream in memory, so that reading is not measured.  [default: only for --laps and --sort]",
        spelled="--preload/--no-preload",
    )
    parameters: ParameterSet = shared(parameter_set)
    approximate: float | None = option(
        "Of q1 and q2: count in bounded memory; no count is too high by more than this share of all.", metavar="EPSILON"
    )
    operator_cost: str = option(
        "Of a query: work that each tuple costs in every operator besides, such as 10us, or in some: "
        "PairCounts=10us+TopPairs=2us.",
        "0",
        metavar="TIME",
    )
    sort: bool = option("Put a stream that is not in replay order into it first, in memory.")
    out: Path | None = option("Write the answer there (Parquet).", metavar="FILE")
    emitted: Path | None = option("Write the sink's output sequence (Parquet).", metavar="FILE")
    json_out: Path | None = shared(json_output)
    check: bool = option("Check sequence and answer after the run.", True, "--check/--no-check")
    profile: bool = option(
        "Show where the workers' time went, and the reorder buffers' rare events.", spelled="--worker-time"
    )
    timeline: Path | None = option(
        "Write what each worker did when: a picture (.png, .svg, .pdf), a table (.csv) or a Perfetto trace (.json).",
        metavar="FILE",
    )
    decisions: Path | None = option(
        "Of --engine ordered: write what its controller was told and has decided, for `streambench replay`: some "
        "10 kB for a second of the run, up to 80 kB while it looks most often. The first "
        f"{MOST_KEPT:,} decisions are kept, in 10 to 70 MB of memory by the number of operators.",
        metavar="FILE",
    )
    live: bool = option("Show rates, what waits where and latencies while it runs.")
    resident: bool = option(
        "Load once, then run for each line that is read, and print a line of JSON each: for programs that compare."
    )
    names: bool = option("Write your own names into --out, where the data has dictionaries.")
    quiet: bool = shared(quiet)

    @property
    def on_cluster(self) -> bool:
        """Whether Spark's tasks run it."""
        engine: str | None = self.runtime["engine"]
        return engine == ON_CLUSTER

    @property
    def needs_preload(self) -> str | None:
        """The option that needs the stream in memory."""
        return "--laps" if self.laps > 1 else "--sort" if self.sort else None

    def require_out(self) -> None:
        """Raise OptionError for names that no file is to have."""
        if self.names and self.out is None:
            raise OptionError("--names writes names into --out: add --out FILE, or leave it out.")

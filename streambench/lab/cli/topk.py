"""`streambench topk`: what occurs most often in a column of Parquet files."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from streambench.data.parquet_files import ParquetFiles
from streambench.errors import DataError, OptionError
from streambench.host.limits import default_workers, free_memory
from streambench.host.meanwhile import Meanwhile
from streambench.lab.cli.inputs import keep_inputs
from streambench.lab.cli.local_path import parquet_files
from streambench.lab.cli.options import argument, command_of, command_options, option, shared
from streambench.lab.cli.outputs import Outputs
from streambench.lab.cli.runtime_options import count
from streambench.lab.cli.shared_options import json_output, quiet
from streambench.lab.data.column_count import count_files
from streambench.lab.show.console import LiveLine
from streambench.lab.show.first_rows import SHOWN_ROWS, print_rows
from streambench.lab.show.output import parquet
from streambench.lab.show.topk_summary import content, print_topk
from streambench.pyx.topk.designs import DESIGNS
from streambench.topk.item_type import item_type
from streambench.topk.topk import TopK

DEFAULT_K = 100
MOST_THREADS = 1024
ONE_THREAD = ("sequential", "lossy")  # designs
COUNTER_BYTES = 64  # at least
GIB = 1 << 30


@command_options
class TopkOptions:
    """What is counted, and how."""

    places: tuple[tuple[str, ...], ...] = argument("FILE...", nargs=-1, required=True, type=parquet_files)
    column: str = option("The column whose values are counted.", required=True, metavar="NAME")
    epsilon: float = option("No count is off by more than this share of all values.", 1e-4, metavar="X")
    k: int | None = count(f"How many rows to give.  [default: {DEFAULT_K}]")
    phi: float | None = option("Instead: all that occurs more often than this share of all values.", metavar="X")
    design: str = option(
        "How it is counted; the others are there to be compared: docs/topk.md.",
        "fast",
        type=click.Choice(tuple(DESIGNS)),
    )
    threads: int | None = count(
        "Threads.  [default: one per core; no more than there are row groups]", spelled="--workers", most=MOST_THREADS
    )
    out: Path | None = option("Write the rows there (Parquet).", metavar="FILE")
    json_out: Path | None = shared(json_output)
    quiet: bool = shared(quiet)


@command_of(TopkOptions)
def command(options: TopkOptions) -> None:
    """Count the values of one column of FILE..., Parquet files or folders of them, and tell which occur most often.

    The memory is bounded, however many values there are. So counts are intervals: a value occurs lower to upper times.
    A row is guaranteed where that is enough to know that it belongs here. Nulls are not counted, but told.

    Rows (item, estimate, lower, upper, guaranteed) come by estimate, the highest first, then by item. With several
    threads, which take the files' row groups in turn, the estimates may differ from run to run within their bounds.
    Files are written when all has succeeded, and replace old ones.

    \b
    Examples:
      streambench topk clicks.parquet --column page
      streambench topk january february/ --column user --k 20 --epsilon 1e-5 --out top.parquet
      streambench topk a.parquet,b.parquet --column city --phi 0.001 --design sequential --workers 1
      streambench topk clicks.parquet --column page --quiet --json - | jq .error_bound
    """
    named = [each for listed in options.places for each in listed]
    _require_threads(options.design, options.threads)
    _require_bounds(options.epsilon, options.k, options.phi)
    outputs = Outputs(options.json_out, {"--out": options.out}, quiet=options.quiet)
    stream = ParquetFiles(named)
    keep_inputs(outputs.places, stream.files, named, "counted")
    _require_once(stream.files)
    column = options.column
    type = _countable(stream, column)
    threads = options.threads or _threads_for(options.design, len(stream.groups))
    summary = TopK(options.epsilon, design=options.design, threads=threads)
    with LiveLine(options.quiet) as line:
        with Meanwhile() as meanwhile:
            begin = time.perf_counter()
            tell = partial(line.step, f"counting {column}", total=stream.rows)
            counted = count_files(summary, stream, column, tell)
            seconds = time.perf_counter() - begin
        line.wait("ranking")
        answer = summary.answer()
        k = DEFAULT_K if options.k is None and options.phi is None else options.k
        ranking = answer.frequent(options.phi) if options.phi is not None else answer.top(k or DEFAULT_K)
        rows = _in_its_type(ranking.to_table(), type)
        about: dict[str, Any] = {"files": [file.name for file in stream.files], "column": column, "type": str(type)}
        about |= {"epsilon": options.epsilon, "k": k, "phi": options.phi}
        document = content(summary, answer, ranking, seconds, counted, meanwhile, about)
        outputs.write({"--out": parquet(rows)}, lambda: document)
    print_topk(outputs.console, document)
    print_rows(outputs.console, "most often" if k is not None else "frequent", len(rows), rows.slice(0, SHOWN_ROWS))
    outputs.tell(lambda: document)


def _threads_for(design: str, groups: int) -> int:
    return 1 if design in ONE_THREAD else max(1, min(default_workers(), groups, MOST_THREADS))


def _require_threads(design: str, threads: int | None) -> None:
    if threads is not None and threads > 1 and design in ONE_THREAD:
        raise OptionError(f"--design {design} is for one thread, not {threads}: choose another design.")


def _require_once(files: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for file in files:
        if file.resolve() in seen:
            raise DataError(f"{file} is named twice, and would be counted twice: name it once.")
        seen.add(file.resolve())


def _require_bounds(epsilon: float, k: int | None, phi: float | None) -> None:
    """Raise OptionError for a question that the counters cannot answer, or that there is no room for."""
    if not 0 < epsilon <= 1 or math.isinf(1 / epsilon):
        raise OptionError(f"--epsilon must be above 0 and at most 1, not {epsilon:g}.")
    counters = math.ceil(1 / epsilon)
    needed, room = counters * COUNTER_BYTES, free_memory()
    if needed > room:
        raise OptionError(
            f"--epsilon {epsilon:g} takes {counters:,} counters, over {needed / GIB:.1f} GiB of memory, and "
            f"{room / GIB:.1f} GiB are free: choose a greater one."
        )
    if k is not None and phi is not None:
        raise OptionError("--k and --phi ask for different rows: leave one out.")
    if k is not None and k > counters:
        raise OptionError(
            f"--k {k} is more than the {counters:,} counters of --epsilon {epsilon:g}: choose a smaller one."
        )
    if phi is not None and not 0 < phi < 1:
        raise OptionError(f"--phi must be above 0 and below 1, not {phi:g}.")
    if phi is not None and phi < epsilon:
        raise OptionError(
            f"--phi {phi:g} is below --epsilon {epsilon:g}, by which counts may be off: choose a smaller epsilon."
        )


def _in_its_type(rows: pa.Table, type: pa.DataType) -> pa.Table:
    """The items as what the column holds; a dictionary's as its values."""
    own = type.value_type if pa.types.is_dictionary(type) else type
    return rows.set_column(0, "item", rows["item"].cast(own))


def _countable(stream: ParquetFiles, column: str) -> pa.DataType:
    """The column's type. Raises DataError where its values cannot be counted."""
    type = stream.type_of(column)
    try:
        if not pa.types.is_null(type):
            item_type(type)
    except DataError:
        raise DataError(
            f"column {column} holds {type}, which cannot be counted: name one of integers, texts, floats or times."
        ) from None
    return type

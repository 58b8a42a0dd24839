"""`streambench snet run`: an S-NET program over a stream of records."""

from __future__ import annotations

import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Literal

import click

from streambench.errors import OptionError
from streambench.host.limits import default_workers
from streambench.lab.cli.inputs import keep_inputs
from streambench.lab.cli.options import argument, command_of, command_options, option, shared
from streambench.lab.cli.runtime_options import count
from streambench.lab.cli.snet.streams import (
    boxes_option,
    check_workers,
    is_xml,
    opened,
    output_option,
    records_option,
    write,
)
from streambench.lab.host.interrupts import INTERRUPTED
from streambench.lab.show.output import STDOUT, check_places, write_all
from streambench.snet.boxes import Concurrency
from streambench.snet.front import CREDIT
from streambench.snet.net import MOST_WORKERS, DiscardedRecordsWarning, Net, Runtime
from streambench.snet.trace import Step, line

GRACE = 0.5  # seconds that a thread which waits for records is given to see that none are wanted
CODES = {False: 130, True: 143}  # after Ctrl-C, after SIGTERM


def _concurrency(texts: tuple[str, ...]) -> Concurrency | None:
    """Of texts such as ``9``, for all boxes, and ``4:box``; None where there are none. Raises OptionError."""
    if not texts:
        return None
    named: dict[str, int] = {}
    others = 1
    for each in texts:
        match = re.fullmatch(r"([0-9]{1,9})(?::([A-Za-z_][A-Za-z0-9_]*))?", each)
        if match is None:
            raise OptionError(f"--concurrency must be a number, or a number and a box as 4:box, not {each}.")
        if match[2] is None:
            others = int(match[1])
        else:
            named[match[2]] = int(match[1])
    return Concurrency(named, others)


@command_options
class SnetRunOptions:
    """What is run, over which records."""

    source: Path = argument("NET.snet")
    records: Path = shared(
        records_option("The records: S-NET's XML stream or JSON lines.  [default: standard input]", STDOUT)
    )
    output: Path = shared(output_option("Write the records there: XML (.xml), JSON lines (.jsonl), else as they come."))
    boxes: ModuleType | None = shared(boxes_option)
    runtime: Runtime | None = option(
        "What runs the net. front: paper 004's runtime. threads: the one before, a thread for each entity. "
        "naive: one record after the other.  [default: front]"
    )
    workers: int | None = count("Threads of FRONT.  [default: one per core]", most=MOST_WORKERS)
    concurrency: Concurrency | None = option(
        "How many calls of a box FRONT makes at a time, of all boxes or of one; may be repeated.  [default: 1]",
        multiple=True,
        callback=lambda context, parameter, texts: _concurrency(texts),
        metavar="N[:BOX]",
    )
    credit: int | None = count(
        "FRONT takes no more records in while so many are on their way, and waits for who reads where so many have "
        f"left.  [default: {CREDIT}]"
    )
    mode: Literal["textual", "binary"] | None = option("How XML has fields: as text, or as base64.  [default: textual]")
    trace: bool = option("Tell each step on standard error: which worker does what. Slow.")


@command_of(SnetRunOptions)
def command(options: SnetRunOptions) -> None:
    """Run the main net of the program NET.snet, its last one, and write the records that leave it.

    The input may be an S-NET XML stream or JSON lines, which is seen by how it begins. Records leave as soon as they
    are there; a file is written whole or not at all.

    \b
    Examples:
      streambench snet run sieve.snet -i numbers.xml -o primes.xml --boxes sieve_boxes
      echo '{"<a>": 1}' | streambench snet run sum.snet
      streambench snet run sieve.snet -i numbers.xml -o primes.jsonl --boxes sieve_boxes --workers 2
      streambench snet run sieve.snet -i numbers.xml --boxes sieve_boxes --trace
      streambench snet run radar.snet -i pulses.xml --boxes radar --concurrency 2 --concurrency 4:doppler
    """
    runtime, output, concurrency = options.runtime or "front", options.output, options.concurrency
    check_workers(options.workers, runtime)
    for name in ("concurrency", "credit"):
        if getattr(options, name) is not None and runtime != "front":
            raise OptionError(f"--{name} belongs to FRONT: leave it out with --runtime {runtime}.")
    net = Net.read(options.source)
    for name in concurrency.named if concurrency is not None else ():
        if name not in net.boxes:
            raise OptionError(f"--concurrency names the box {name}, which {options.source} does not have.")
    places = {} if output == STDOUT else {"--output": output}
    check_places(places)
    if options.records != STDOUT:
        keep_inputs(places, [options.records, options.source], [], "run")
    with soon_over(), opened(options.records) as (records, like):
        xml, binary = is_xml(output, like), options.mode == "binary"
        if options.mode is not None and not xml:
            raise OptionError("--mode belongs to XML, and the output is JSON lines: leave it out.")
        outputs = net.run(
            records,
            options.boxes,
            _trace if options.trace else None,
            runtime=runtime,
            workers=options.workers or default_workers(),
            concurrency=concurrency,
            credit=options.credit or CREDIT,
        )
        with closing(outputs), warnings.catch_warnings(action="ignore", category=DiscardedRecordsWarning):
            if output == STDOUT:
                write(outputs, sys.stdout.buffer, xml=xml, binary=binary)
            else:
                write_all({output: lambda file: write(outputs, file, xml=xml, binary=binary)})
    if net.discarded:
        click.echo(f"note: {net.discarded}", err=True)


@contextmanager
def soon_over() -> Iterator[None]:
    """After Ctrl-C no thread keeps the process: boxes that are still busy, which had their second, are left amid it.

    Files are there whole or not at all by then.
    """
    try:
        yield
    except KeyboardInterrupt:
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join(GRACE)
                if thread.is_alive():
                    click.echo(INTERRUPTED, err=True)
                    entry = sys.modules.get("streambench.entry")
                    os._exit(CODES[getattr(entry, "terminated", False)])
        raise


def _trace(step: Step) -> None:
    click.echo(line(step), err=True)

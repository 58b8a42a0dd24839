"""`streambench snet draw`: an S-NET program, or how a run unfolded it, as SVG."""

from __future__ import annotations

import warnings
from collections import deque
from pathlib import Path
from types import ModuleType
from typing import get_args

import click

from streambench.errors import OptionError
from streambench.host.limits import default_workers
from streambench.lab.cli.inputs import keep_inputs
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.runtime_options import at_least_one
from streambench.lab.cli.snet.streams import boxes_option, check_workers, opened, output_option, records_option
from streambench.lab.show.output import STDOUT, as_text, check_places, write_all
from streambench.snet.drawing import svg
from streambench.snet.net import DiscardedRecordsWarning, Net, Runtime


@click.command()
@click.argument("source", type=LocalPath(path_type=Path), metavar="NET.snet")
@records_option("Run the net over these records first, and draw it as it has unfolded.")
@boxes_option()
@click.option(
    "--runtime",
    type=click.Choice(get_args(Runtime)),
    help="Whose entity graph. naive: all replicas. front: those that FRONT makes, others are drawn as one. threads: an "
    "entity for everything.  [default: naive]",
)
@click.option(
    "--workers", type=int, callback=at_least_one, metavar="N", help="Threads of FRONT.  [default: one per core]"
)
@output_option("Write the SVG there.")
def command(
    source: Path,
    source_records: Path | None,
    boxes: ModuleType | None,
    runtime: Runtime | None,
    workers: int | None,
    output: Path,
) -> None:
    """Draw the main net of the program NET.snet: its property graph, where what repeats stands once.

    With --input the net is run first, and its entity graph is drawn: every replica that came to be, and how many
    records each part has taken.

    \b
    Examples:
      streambench snet draw sieve.snet -o sieve.svg
      streambench snet draw sieve.snet -i numbers.xml --boxes sieve_boxes -o unfolded.svg
      streambench snet draw sieve.snet -i numbers.xml --boxes sieve_boxes --runtime front -o entities.svg
    """
    for name, given in (("--boxes", boxes), ("--runtime", runtime), ("--workers", workers)):
        if given is not None and source_records is None:
            raise OptionError(f"{name} belongs to a run: name the records by --input.")
    check_workers(workers, runtime or "naive")
    net = Net.read(source)
    places = {} if output == STDOUT else {"--output": output}
    check_places(places)
    part = net.property_graph()
    if source_records is not None:
        keep_inputs(places, [source_records, source], [], "run")
        with (
            warnings.catch_warnings(action="ignore", category=DiscardedRecordsWarning),
            opened(source_records) as (
                records,
                _,
            ),
        ):
            made = net.run(
                records, boxes, runtime=runtime or "naive", workers=workers or default_workers(), unfold=True
            )
            deque(made, maxlen=0)
        part = net.entity_graph()
    if output == STDOUT:
        click.echo(svg(part), nl=False)
    else:
        write_all({output: as_text(svg(part))})

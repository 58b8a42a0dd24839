"""`streambench snet draw`: an S-NET program, or how a run unfolded it, as SVG."""

from __future__ import annotations

import warnings
from collections import deque
from pathlib import Path
from types import ModuleType

import click

from streambench.errors import OptionError
from streambench.host.limits import default_workers
from streambench.lab.cli.inputs import keep_inputs
from streambench.lab.cli.options import argument, command_of, command_options, option, shared
from streambench.lab.cli.runtime_options import count
from streambench.lab.cli.snet.streams import boxes_option, check_workers, opened, output_option, records_option
from streambench.lab.show.output import STDOUT, as_text, check_places, write_all
from streambench.snet.drawing import svg
from streambench.snet.net import MOST_WORKERS, DiscardedRecordsWarning, Net, Runtime


@command_options
class DrawOptions:
    """What is drawn."""

    source: Path = argument("NET.snet")
    records: Path | None = shared(
        records_option("Run the net over these records first, and draw it as it has unfolded.")
    )
    boxes: ModuleType | None = shared(boxes_option)
    runtime: Runtime | None = option(
        "Whose entity graph. naive: all replicas. front: those that FRONT makes, others are drawn as one. threads: an "
        "entity for everything.  [default: naive]"
    )
    workers: int | None = count("Threads of FRONT.  [default: one per core]", most=MOST_WORKERS)
    output: Path = shared(output_option("Write the SVG there."))


@command_of(DrawOptions)
def command(options: DrawOptions) -> None:
    """Draw the main net of the program NET.snet: its property graph, where what repeats stands once.

    With --input the net is run first, and its entity graph is drawn: every replica that came to be, and how many
    records each part has taken.

    \b
    Examples:
      streambench snet draw sieve.snet -o sieve.svg
      streambench snet draw sieve.snet -i numbers.xml --boxes sieve_boxes -o unfolded.svg
      streambench snet draw sieve.snet -i numbers.xml --boxes sieve_boxes --runtime front -o entities.svg
    """
    for name in ("boxes", "runtime", "workers"):
        if getattr(options, name) is not None and options.records is None:
            raise OptionError(f"--{name} belongs to a run: name the records by --input.")
    runtime = options.runtime or "naive"
    check_workers(options.workers, runtime)
    net = Net.read(options.source)
    places = {} if options.output == STDOUT else {"--output": options.output}
    check_places(places)
    part = net.property_graph()
    if options.records is not None:
        keep_inputs(places, [options.records, options.source], [], "run")
        quiet = warnings.catch_warnings(action="ignore", category=DiscardedRecordsWarning)
        with quiet, opened(options.records) as (records, _):
            workers = options.workers or default_workers()
            deque(net.run(records, options.boxes, runtime=runtime, workers=workers, unfold=True), maxlen=0)
        part = net.entity_graph()
    if options.output == STDOUT:
        click.echo(svg(part), nl=False)
    else:
        write_all({options.output: as_text(svg(part))})

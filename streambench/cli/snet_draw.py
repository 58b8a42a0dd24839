"""`streambench snet draw`: an S-NET program, or how a run unfolded it, as SVG."""

from __future__ import annotations

import warnings
from collections import deque
from pathlib import Path
from types import ModuleType

import click

from streambench.cli.inputs import keep_inputs
from streambench.cli.snet_streams import boxes_option, opened, output_option, records_option
from streambench.errors import OptionError
from streambench.show.output import STDOUT, as_text, check_places, write_all
from streambench.snet.drawing import svg
from streambench.snet.net import DiscardedRecordsWarning, Net


@click.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="NET.snet")
@records_option("Run the net over these records first, and draw it as it has unfolded.")
@boxes_option()
@output_option("Write the SVG there.")
def command(source: Path, source_records: Path | None, boxes: ModuleType | None, output: Path) -> None:
    """Draw the main net of the program NET.snet: its property graph, where what repeats stands once.

    With --input the net is run first, and its entity graph is drawn: every replica that came to be, and how many
    records each part has taken.

    \b
    Examples:
      streambench snet draw sieve.snet -o sieve.svg
      streambench snet draw sieve.snet -i numbers.xml --boxes sieve_boxes -o unfolded.svg
    """
    if boxes is not None and source_records is None:
        raise OptionError("--boxes belongs to a run: name the records by --input.")
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
            deque(net.run(records, boxes), maxlen=0)
        part = net.entity_graph()
    if output == STDOUT:
        click.echo(svg(part), nl=False)
    else:
        write_all({output: as_text(svg(part))})

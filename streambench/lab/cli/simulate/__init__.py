"""`streambench simulate`: engines on simulated cores, a file for each subcommand."""

from __future__ import annotations

import click

from streambench.lab.cli.lazy_group import LazyGroup

COMMANDS = {
    "run": "Simulate schemes or ordered on more cores than there are here.",
    "predict": "Predict what more cores would give a pipeline, with an error band.",
    "limits": "What stops each engine on more cores than there are here, as a table and a result file.",
    "micro": "What stops an engine on more cores than there are here, at a given cost of a tuple.",
    "validate": "Compare the simulator with real runs, and say how far it is off.",
    "statements": "Look for what paper 000 says of 16 cores in a simulation at its costs.",
}


@click.group(cls=LazyGroup, listed=COMMANDS, package=__name__)
def command() -> None:
    """Simulate the engines ordered and schemes on more cores than there are here. docs/simulator.md tells how, and how
    far it is off.

    \b
    Examples:
      streambench simulate run q3 --data data/sf0.01 --cores 16
      streambench simulate predict q3 --data data/sf0.01
      streambench simulate validate --data data/sf0.01
    """

"""`streambench snet check`: what is wrong with an S-NET program, its types, and the program flattened."""

from __future__ import annotations

from pathlib import Path

import click

from streambench.lab.cli.local_path import LocalPath
from streambench.lab.show.escaped_output import one_line
from streambench.snet import text
from streambench.snet.net import Net
from streambench.snet.signature import Signature
from streambench.snet.types import Variant, label_text


@click.command()
@click.argument("source", type=LocalPath(path_type=Path), metavar="NET.snet")
def command(source: Path) -> None:
    """Read the program NET.snet, and print the types of its boxes and nets, then the program flattened.

    Flattened, names are resolved: every net without a signature stands where it is used. It is a program again. Notes
    tell what no record can pass as far as the types tell; a record may have more labels than they know of. Outputs of
    more than 256 types are told as "...".

    \b
    Example:
      streambench snet check sieve.snet
    """
    net = Net.read(source)
    kinds = dict.fromkeys(net.boxes, "box") | dict.fromkeys(net.nets, "net")
    width = max(map(len, kinds))
    click.echo("types")
    for name, kind in kinds.items():
        for line in _lines(net.signatures[name]):
            click.echo(f"  {kind} {name:{width}}  {line}")
    click.echo("\nflattened")
    click.echo(text.program(net.program), nl=False)
    for place, sentence in net.notes:
        click.echo(one_line(f"note: {place}: {sentence}"), err=True)


def _lines(signature: Signature) -> list[str]:
    """A line for each type that is taken, and one for what is given unasked."""
    pairs = [(label_text(labels), _outputs(signature, labels)) for labels in signature.inputs]
    if signature.initial:
        pairs.append(("once", " | ".join(map(label_text, signature.initial))))
    return [f"{labels} -> {outputs}" for labels, outputs in pairs]


def _outputs(signature: Signature, labels: Variant) -> str:
    if labels in signature.open:
        return "..."
    return " | ".join(map(label_text, signature.mappings[labels])) or "nothing"

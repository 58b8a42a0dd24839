"""The labels that a program names."""

from __future__ import annotations

from collections.abc import Iterator

from streambench.snet.signature import variants
from streambench.snet.syntax import (
    At,
    Body,
    Box,
    Choice,
    Feedback,
    Filter,
    Label,
    Net,
    Network,
    Parallel,
    Program,
    Serial,
    Split,
    Star,
    Sync,
)


def labels_of(program: Program) -> list[Label]:
    """The labels of a flattened program, each once, in source order."""
    labels_seen: dict[Label, None] = {}
    for each in program.definitions:
        if isinstance(each, Box):
            for labels in (each.inputs or (), *each.outputs):
                labels_seen.update(dict.fromkeys(labels))
        elif isinstance(each, Net):
            for mapping in each.mappings:
                for variant in (*variants(mapping.input), *variants(mapping.output or ())):
                    labels_seen.update(dict.fromkeys(sorted(variant)))
            if each.body is not None:
                labels_seen.update(dict.fromkeys(_network(each.body)))
    return list(labels_seen)


def _network(network: Network) -> Iterator[Label]:
    if isinstance(network, Filter):
        yield from network.labels
        yield from _body(network.body)
    elif isinstance(network, Sync):
        for pattern in network.patterns:
            yield from pattern.labels
    elif isinstance(network, Serial):
        for part in network.parts:
            yield from _network(part)
    elif isinstance(network, Parallel):
        for branch in network.branches:
            yield from _network(branch)
    elif isinstance(network, Star | Feedback | Split | At):
        yield from _network(network.operand)
        if isinstance(network, Split):
            yield network.tag
        for pattern in (
            network.exits if isinstance(network, Star) else network.back if isinstance(network, Feedback) else ()
        ):
            yield from pattern.labels


def _body(body: Body) -> Iterator[Label]:
    if isinstance(body, Choice):
        yield from _body(body.then)
        yield from _body(body.otherwise)
    else:
        for record in body.records:
            yield from (item.label for item in record)

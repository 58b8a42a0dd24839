"""What each worker of a run does, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from streambench.snet import text
from streambench.snet.syntax import Network

What = Literal["takes", "takes in", "gives out", "starts", "takes over"]


@dataclass(frozen=True)
class Step:
    """A worker's step: a part of the network takes a record, or, "starts", an initialiser runs; "takes in" and "gives
    out": a record comes in or leaves; "takes over": the worker goes on with a part that the worker ``other`` had.

    ``replicas``: those around the part, the outermost first, a star's by place, a split's by tag.
    """

    worker: int
    what: What
    network: Network
    replicas: tuple[int, ...]
    values: Mapping[str, Any]
    other: int = -1


Trace = Callable[[Step], None]


def line(step: Step) -> str:
    """A step as a line of text: of a record its labels, and the values of tags."""
    values = ", ".join(f"{label[:-1]}={value}>" if label[0] == "<" else label for label, value in step.values.items())
    part = f"{step.network.place}: {text.network(step.network)}"
    inside = f" in replica {'.'.join(map(str, step.replicas))}" if step.replicas else ""
    phrases = {
        "takes": f"{part}{inside} takes {{{values}}}",
        "starts": f"{part}{inside} starts",
        "takes over": f"{part}{inside} is taken over from {step.other}",
    }.get(step.what, f"{step.what} {{{values}}}")
    return f"{step.worker}: {phrases}"

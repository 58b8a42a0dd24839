"""What stands under every figure: where, when and with what it was measured."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from streambench.lab.figures.lines import TEXT
from streambench.lab.host.machine import title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 165  # characters of a line under a figure of 9.2 inches
LINE = 0.157  # inches
MEASURED = "Everything was measured on this machine, nothing simulated"
DERIVED = "Derived from TPCx-BB, not a TPC result."


def sentences(*parts: str) -> str:
    """Those that say something, with blanks between."""
    return " ".join(filter(None, parts))


def not_drawn(wrong: Sequence[str], between: str = ", ", why: str = "a run was wrong") -> str:
    """A sentence, after a blank, on what is left out; nothing where nothing is."""
    return f" Not drawn, because {why}: {between.join(wrong)}." if wrong else ""


def origin(document: Mapping[str, Any], *, repeats: str | None = None, data: bool = True) -> str:
    """Machine, cores, version, commit, date, scale and repeats, in sentences.

    ``repeats``: in words, if not as in the parameters. ``data``: tell the scale of the queries' data.
    """
    machine, parameters = document["machine"], document["parameters"]
    revision = f" ({document['git']})" if document.get("git") else ""
    known = {"scale_factor": "scale factor {}", "data": "data {}"} if data else {}
    known |= {"repeats": "{} repeats"} if repeats is None else {}
    facts = [text.format(parameters[name]) for name, text in known.items() if parameters.get(name) is not None]
    facts += [] if repeats is None else [repeats]
    return (
        f"{title(machine)}. streambench {document['version']}{revision}, {str(document['created'])[:10]}"
        f"{', ' + ', '.join(facts) if facts else ''}.{disturbed(document['runs'])}"
    )


def disturbed(runs: Sequence[Mapping[str, Any]]) -> str:
    """A sentence, after a blank, where neighbours or the host disturbed any of the runs that were measured."""
    flags = [run.get("disturbed") for run in runs if not run.get("simulated")]
    if True not in flags:
        return ""
    unknown = f", and of {flags.count(None)} that is not known" if None in flags else ""
    return f" {flags.count(True)} of {len(flags)} runs were disturbed by neighbours or the host{unknown}."


def put_under(figure: Figure, text: str) -> float:
    """Write the text at the foot of the figure; returns the inches that it takes."""
    wrapped = textwrap.fill(text, WIDTH)
    figure.text(0.012, 0.012, wrapped, fontsize=7, color=TEXT, va="bottom", linespacing=1.35)
    return LINE * (wrapped.count("\n") + 1)

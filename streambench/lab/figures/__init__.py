"""Figures drawn from result files: only what was measured and verified, each with the data behind it as CSV; uses
record, execution, host and queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from streambench.errors import OptionError, StreambenchError
from streambench.lab.figures import (
    changes,
    cluster_cost,
    joins,
    latency_over_load,
    micro_scaling,
    paper,
    perf,
    scaling,
    selection,
    simulated,
    snet,
    topk,
)
from streambench.lab.figures.paper import Tell
from streambench.lab.record import cluster_bench_summary, rate_search_summary, simulation_summary
from streambench.lab.record.kind_command import command_of

BY_KIND = {
    "bench": (scaling.NAME,),
    selection.KIND: tuple(paper.FIGURES),
    simulation_summary.KIND: tuple(paper.FIGURES),
    "perf": (perf.NAME, changes.NAME, micro_scaling.NAME),
    joins.KIND: joins.FIGURES,
    topk.KIND: topk.FIGURES,
    snet.KIND: snet.FIGURES,
    rate_search_summary.KIND: (latency_over_load.NAME,),
    cluster_bench_summary.KIND: (cluster_cost.NAME,),
}
KINDS = tuple(BY_KIND)
NAMES = tuple(dict.fromkeys(name for names in BY_KIND.values() for name in names))


def draw(
    document: Mapping[str, Any],
    out: Path | str,
    only: Sequence[str] = (),
    tell: Tell | None = None,
    measured: Mapping[str, Any] | None = None,
) -> list[Path]:
    """Draw the figures of a result document into a folder; returns the files written.

    A bench document gives ``scaling``, a sweep's, simulated or not, paper 000's figures, a join bench's paper 001's, a
    top-k bench's paper 002's, an S-NET bench's paper 004's, perf its own, with streams that change ``changes``, and
    with the section ``scaling`` ``micro-scaling``, a rate search latency over load, a cluster bench ``cluster-cost``.
    ``only``: some of these, by name; "8" means 8a and 8b. ``measured``: a sweep's document, whose points stand beside
    the curves of a simulated sweep.
    ``tell`` is called with a sentence for each figure that the document holds no points for.

    Raises OptionError for a name that is no figure of such a document, StreambenchError where nothing can be drawn or a
    file cannot be written.
    """
    kind = document.get("kind")
    if kind not in KINDS:
        raise StreambenchError(
            f"a result of kind {kind!r} cannot be drawn: give one of `streambench bench queries`, `bench sweep` "
            "(also --simulated), `streambench bench perf`, `streambench bench joins`, `streambench bench topk`, "
            "`streambench bench snet`, `streambench bench rate` or `streambench bench cluster`"
        )
    names = _chosen(only, str(kind))
    if kind == selection.KIND:
        return paper.draw(document, Path(out), names, tell or (lambda _: None))
    if kind == simulation_summary.KIND:
        return simulated.draw(document, measured, Path(out), names, tell or (lambda _: None))
    if kind == joins.KIND:
        return joins.draw(document, Path(out), names, tell or (lambda _: None))
    if kind == topk.KIND:
        return topk.draw(document, Path(out), names, tell or (lambda _: None))
    if kind == snet.KIND:
        return snet.draw(document, Path(out), names, tell or (lambda _: None))
    if kind == perf.NAME:
        return _draw_perf(document, Path(out), names)
    if kind == rate_search_summary.KIND:
        return latency_over_load.draw(document, Path(out))
    if kind == cluster_bench_summary.KIND:
        return cluster_cost.draw(document, Path(out))
    return scaling.draw(document, Path(out))


def perf_figures(document: Mapping[str, Any]) -> list[str]:
    """Of a result of perf the figures that there is something for; none where there is nothing to draw."""
    found = {
        perf.NAME: perf.placed(document["summary"]),
        changes.NAME: changes.tracks(document),
        micro_scaling.NAME: micro_scaling.points(document),
    }
    return [name for name, rows in found.items() if rows]


def _draw_perf(document: Mapping[str, Any], out: Path, names: Sequence[str]) -> list[Path]:
    """Those of the names for which there is something; of none of them, the first one tells what is missing."""
    there = perf_figures(document)
    drawn = [name for name in names if name in there] or names[:1]
    drawers = {each.NAME: each.draw for each in (perf, changes, micro_scaling)}
    return [path for name in drawn for path in drawers[name](document, out)]


def _chosen(only: Sequence[str], kind: str) -> list[str]:
    """Those of the kind's figures that are asked for; all without a wish."""
    for wish in only:
        needed = [each for each, names in BY_KIND.items() if any(wish in (name, name.rstrip("abc")) for name in names)]
        if not needed:
            raise OptionError(f"there is no figure {wish}: choose from {', '.join(NAMES)}.")
        if kind not in needed:
            raise OptionError(
                f"figure {wish} is drawn from a result of `{command_of(needed[0])}`, and this is one of {kind}."
            )
    return [name for name in BY_KIND[kind] if not only or name in only or name.rstrip("abc") in only]

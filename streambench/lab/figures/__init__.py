"""Figures drawn from result files: only what was measured and verified, each with the data behind it as CSV; uses
record, workloads, execution, host and queries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from streambench.errors import OptionError, StreambenchError
from streambench.lab.figures import (
    changes,
    cluster_cost,
    joins,
    latency_over_load,
    micro_scaling,
    ordered_tasks,
    paper,
    perf,
    scaling,
    selection,
    simulated,
    snet,
    topk,
)
from streambench.lab.record import cluster_bench_summary, rate_search_summary, simulation_summary
from streambench.lab.record.kind_command import command_of

PAPERS = {each.kind: each for each in (joins.PAPER, topk.PAPER, snet.PAPER)}
ALONE = {
    "bench": scaling,
    rate_search_summary.KIND: latency_over_load,
    cluster_bench_summary.KIND: cluster_cost,
}
"""Modules of a kind's only figure."""
BY_KIND = {
    "bench": (scaling.NAME,),
    selection.KIND: tuple(paper.FIGURES),
    simulation_summary.KIND: tuple(paper.FIGURES),
    "perf": (perf.NAME, changes.NAME, micro_scaling.NAME, ordered_tasks.NAME),
    **{kind: each.names for kind, each in PAPERS.items()},
    **{kind: (each.NAME,) for kind, each in ALONE.items()},
}
KINDS = tuple(BY_KIND)
NAMES = tuple(dict.fromkeys(name for names in BY_KIND.values() for name in names))


def draw(
    document: Mapping[str, Any],
    out: Path | str,
    only: Sequence[str] = (),
    tell: Callable[[str], None] | None = None,
    measured: Mapping[str, Any] | None = None,
    validation: Mapping[str, Any] | None = None,
) -> list[Path]:
    """Draw the figures of a result document into a folder; returns the files written.

    A bench document gives ``scaling``, a sweep's, simulated or not, paper 000's figures, a join bench's paper 001's, a
    top-k bench's paper 002's, an S-NET bench's paper 004's, perf its own, with streams that change ``changes``, with
    the section ``scaling`` ``micro-scaling``, with ``order`` ``ordered-tasks``, a rate search latency over load, a
    cluster bench ``cluster-cost``.
    ``only``: some of these, by name; "8" means 8a and 8b. ``measured``: a sweep's document, whose points stand beside
    the curves of a simulated sweep; ``validation``: of `simulate validate`, by which some of these are left out.
    ``tell`` is called with a sentence for each figure that the document holds no points for.

    Raises OptionError for a name that is no figure of such a document, StreambenchError where nothing can be drawn or a
    file cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    kind = str(document.get("kind"))
    if kind not in KINDS:
        raise StreambenchError(
            f"a result of kind {document.get('kind')!r} cannot be drawn: give one of `streambench bench queries`, "
            "`bench sweep` (also --simulated), `streambench bench perf`, `streambench bench joins`, "
            "`streambench bench topk`, `streambench bench snet`, `streambench bench rate` or "
            "`streambench bench cluster`"
        )
    names, tell, out = _chosen(only, kind), tell or (lambda _: None), Path(out)
    lacking = f"no verified points of these figures; measure them with `{command_of(kind)}`"
    if kind == perf.NAME:
        return _draw_perf(document, out, names)
    if kind in PAPERS:
        pictures = PAPERS[kind].pictures(document, names, tell)
    elif kind == selection.KIND:
        pictures = paper.pictures(document, names, tell)
    elif kind == simulation_summary.KIND:
        pictures = simulated.pictures(document, names, tell, measured, validation)
        lacking = "no simulated points of these figures that can be shown"
    else:
        pictures = ALONE[kind].pictures(document)
        lacking = ALONE[kind].LACKING
    written = [path for picture in pictures for path in picture.write(out)]
    if not written and (kind != snet.PAPER.kind or snet.CASES & {*document["parameters"]["cases"]}):
        raise StreambenchError(f"there is nothing to draw: the result holds {lacking}")
    return written


def perf_figures(document: Mapping[str, Any]) -> list[str]:
    """Of a result of perf the figures that there is something for; none where there is nothing to draw."""
    drawings = {
        perf.NAME: perf.placed(document["summary"]),
        changes.NAME: changes.tracks(document),
        micro_scaling.NAME: micro_scaling.points(document),
        ordered_tasks.NAME: ordered_tasks.points(document),
    }
    return [name for name, rows in drawings.items() if rows]


def _draw_perf(document: Mapping[str, Any], out: Path, names: Sequence[str]) -> list[Path]:
    """Those of the names for which there is something; of none of them, the first one tells what is missing."""
    there = perf_figures(document)
    drawn = [name for name in names if name in there] or names[:1]
    drawers = {each.NAME: each.draw for each in (perf, changes, micro_scaling, ordered_tasks)}
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

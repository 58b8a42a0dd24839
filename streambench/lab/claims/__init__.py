"""The paper's claims, judged by a sweep's result: which hold, which do not, which cannot be told, and why;
uses datagen, figures, measure, record and workloads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from streambench.errors import OptionError, StreambenchError
from streambench.lab.claims.claim import Claim, Verdict
from streambench.lab.claims.paper import CLAIMS
from streambench.lab.figures.drawable import long_enough
from streambench.lab.figures.selection import KIND, Mode, select
from streambench.lab.figures.simulated import PAPER_CORES
from streambench.lab.record.simulation_summary import KIND as SIMULATION
from streambench.lab.workloads.operator_cost import OperatorCost

__all__ = ["CLAIMS", "judge"]


def judge(
    document: Mapping[str, Any], unit: int | None = None, operator_cost: str | None = None
) -> tuple[Mode, list[tuple[Claim, Verdict]]]:
    """The verdict on every claim by a sweep's document, measured or simulated, and the mode that it was judged in.

    ``unit``: of several unit sizes the one to judge by; None: the smallest, which is nearest to the paper.
    ``operator_cost``: the same of work that was added to the queries' operators; None: none, where there are such runs.
    Raises StreambenchError for a document of another kind, without runs of the paper's schemes or of own pipelines
    alone, OptionError for what was not measured.
    """
    if document.get("kind") not in (KIND, SIMULATION):
        raise StreambenchError(
            f"claims are judged by a result of `streambench bench sweep`, and this is one of {document.get('kind')}"
        )
    selection = select(document)
    if selection.simulated:
        selection = replace(selection, cores=min(PAPER_CORES, selection.cores))  # beyond, the paper claims nothing
    selection.require_others()
    if not selection.modes:
        raise StreambenchError("the result holds no run of the paper's schemes: measure with `streambench bench sweep`")
    queries = selection.where(lambda point: point["micro"] is None)
    modes = [mode for mode in (queries.modes or selection.modes) if mode.rate == 0]
    if not modes:
        raise StreambenchError(
            "all runs of the result had a rate, and claims are judged by runs as fast as possible: measure these, too"
        )
    if operator_cost is not None:
        cost = OperatorCost.parse(operator_cost)
        modes = _measured("operator-cost", modes, lambda mode: mode.operator_cost or "0", str(cost))
    if unit is not None:
        modes = _measured("unit", modes, lambda mode: mode.unit, unit)
    at_rates = selection.at_rates(modes[0])
    if selection.simulated:
        at_rates = at_rates.where(long_enough)
    chosen = at_rates.where(rate=0.0)
    return modes[0], [(claim, claim.verdict(at_rates if claim.at_rates else chosen)) for claim in CLAIMS]


def _measured(name: str, modes: Sequence[Mode], value_of: Callable[[Mode], object], value: object) -> list[Mode]:
    """Those with this value. Raises OptionError where there is none."""
    chosen = [mode for mode in modes if value_of(mode) == value]
    if not chosen:
        measured = ", ".join(dict.fromkeys(str(value_of(mode)) for mode in modes))
        raise OptionError(f"`{name}` {value} was not measured: choose from {measured}.")
    return chosen

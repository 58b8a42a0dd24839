"""The paper's claims, judged by a sweep's result: which hold, which do not, which cannot be told, and why;
uses figures, measure and record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from streambench.errors import OptionError, StreambenchError
from streambench.lab.claims.claim import Claim, Verdict
from streambench.lab.claims.paper import CLAIMS
from streambench.lab.figures.selection import KIND, Mode, select
from streambench.lab.figures.simulated import PAPER_CORES
from streambench.lab.record.simulation_summary import KIND as SIMULATION

__all__ = ["CLAIMS", "judge"]


def judge(document: Mapping[str, Any], unit: int | None = None) -> tuple[Mode, list[tuple[Claim, Verdict]]]:
    """The verdict on every claim by a sweep's document, measured or simulated, and the mode that it was judged in.

    ``unit``: of several unit sizes the one to judge by; None: the smallest, which is nearest to the paper. Raises
    StreambenchError for a document of another kind, without runs of the paper's schemes or of own pipelines alone,
    OptionError for a unit size that was not measured.
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
    modes = [mode for mode in selection.modes if unit in (None, mode.unit)]
    if not modes:
        units = ", ".join(map(str, dict.fromkeys(mode.unit for mode in selection.modes)))
        raise OptionError(f"`unit` {unit} was not measured: choose from {units}.")
    chosen = selection.where(unit=modes[0].unit, fuse=modes[0].fuse)
    return modes[0], [(claim, claim.verdict(chosen)) for claim in CLAIMS]

"""Two columns of verdicts: by what was measured here, and by what was simulated. They are never one verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from streambench.lab.claims.claim import Claim, Verdict
from streambench.lab.figures.selection import Mode

Judged = Sequence[tuple[Claim, Verdict]]


class Side(NamedTuple):
    """A document, measured or simulated, the mode that it was judged in, and the verdicts."""

    document: Mapping[str, Any]
    mode: Mode
    judged: Judged

    @property
    def simulated(self) -> bool:
        """Whether its parallel runs are."""
        return bool(self.document["parameters"].get("simulated"))

    def verdict(self, claim: Claim) -> Verdict:
        """Of a claim."""
        return next(verdict for each, verdict in self.judged if each.number == claim.number)

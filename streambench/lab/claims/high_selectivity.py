"""Claim 8: non-blocking reordering is ahead of locks where an operator has many outputs."""

from __future__ import annotations

from streambench.lab.claims.claim import Claim
from streambench.lab.claims.light_operators import judge
from streambench.lab.figures import reordering

CLAIM = Claim(
    8,
    "With 50 outputs per input non-blocking reordering is ahead of a lock even for operators of 100 µs.",
    "section 7.3.2, figure 13",
    "13",
    reordering.select_selective,
    judge,
)

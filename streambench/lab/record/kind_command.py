"""Which command writes results of a kind, by the words that a user types."""

from __future__ import annotations

OTHERWISE = {
    "gate-proof": "make gate-proof",
    "simulation": "streambench sweep --simulated",
    "snet-bench": "streambench snet bench",
}
"""By kind, where the command is not of the kind's name."""


def command_of(kind: object) -> str:
    """``streambench bench`` of the kind bench."""
    return OTHERWISE.get(str(kind), f"streambench {kind}")

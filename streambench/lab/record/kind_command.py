"""Which command writes results of a kind, by the words that a user types."""

from __future__ import annotations

COMMANDS = {
    "bench": "streambench bench queries",
    "sweep": "streambench bench sweep",
    "simulation": "streambench bench sweep --simulated",
    "perf": "streambench bench perf",
    "peers": "streambench bench peers",
    "join-bench": "streambench bench joins",
    "topk-bench": "streambench bench topk",
    "snet-bench": "streambench bench snet",
    "rate-search": "streambench bench rate",
    "cluster-bench": "streambench bench cluster",
    "stream-bench": "streambench bench stream",
    "simulate-limits": "streambench simulate limits",
    "validate": "streambench simulate validate",
    "gate-proof": "make gate-proof",
}


def command_of(kind: object) -> str:
    """``streambench bench queries`` of the kind bench; ``streambench gate`` of gate, which keeps no result."""
    return COMMANDS.get(str(kind), f"streambench {kind}")

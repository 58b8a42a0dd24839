"""All ways to execute a pipeline in which units in pieces take ways of their own: engines, schemes and plans."""

from __future__ import annotations

from typing import Any

EVERYWHERE: dict[str, dict[str, Any]] = {
    "serial": {"engine": "serial"},
    "schemes": {"heuristic": "ct", "partitions": 3},
    "lock, partitioned": {"heuristic": "lp", "reorder": "lock", "partitioning": "partitioned", "partitions": 3},
    "routed in order": {"heuristic": "ct", "routing": "in-order", "partitions": 3},
    "ticket, shared": {"heuristic": "et", "reorder": "ticket", "partitioning": "shared", "partitions": 3},
    "not fused": {"heuristic": "walk", "fuse": False, "partitions": 2},
    "by range": {"plan": "cut", "partition_by": "range", "partitions": 3},
    **{plan: {"plan": plan} for plan in ("auto", "whole", "cut", "sharded")},
}

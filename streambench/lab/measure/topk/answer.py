"""Is a summary's answer right, and how close is it? It is compared with exact counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from streambench.lab.measure.topk.zipf_streams import ExactCounts
from streambench.lab.record.topk_summary import PHI

Snapshot = Sequence[Any]
"""What `Summary.snapshot` gives: items, counts, errors, the floor, how many items are counted, how many in flight."""


def wrong_answer(snapshot: Snapshot, exact: ExactCounts, epsilon: float) -> str | None:
    """What is wrong with the answer after all of the streams, in words; None where nothing is.

    All items are counted, an item's interval holds its true count, and no item above ``epsilon`` N is missing.
    """
    items, counts, errors, floor, n, in_flight = snapshot
    if (n, in_flight) != (exact.n, 0):
        return f"{n} items are counted and {in_flight} in flight, of {exact.n}"
    if len(np.unique(items)) < len(items):
        return "an item is there twice"
    true = exact.of(items)
    outside = (true > counts) | (true < counts - errors)
    if outside.any():
        at = int(np.argmax(outside))
        others = int(outside.sum()) - 1
        return f"{true[at]} lies outside of {counts[at] - errors[at]} to {counts[at]}, as do {others} others"
    for name, least in (("floor", floor), ("error bound", epsilon * exact.n)):
        missed = np.setdiff1d(exact.items[exact.counts > least], items)
        if len(missed):
            return f"{len(missed)} items above the {name} of {least:g} are missing"
    return None


def accuracy(snapshot: Snapshot, exact: ExactCounts) -> dict[str, float | None]:
    """Of the items that the summary reports as frequent, by their estimates: how many are, and how many of all that
    are it reports; and by how much the estimates of these are wrong on the average, in parts of their counts.

    None stands where no item is reported, or none is frequent.
    """
    items, counts, _, _, n, _ = snapshot
    reported = counts > PHI * n
    true, estimates = exact.of(items[reported]), counts[reported]
    right = true > PHI * exact.n
    frequent = int((exact.counts > PHI * exact.n).sum())
    return {
        "frequent_items": frequent,
        "precision": float(right.mean()) if len(right) else None,
        "recall": float(right.sum() / frequent) if frequent else None,
        "relative_error": float((np.abs(estimates - true)[right] / true[right]).mean()) if right.any() else None,
    }


def error_bound(snapshot: Snapshot) -> float:
    """By how much a count can be wrong at most, as the summary itself says, in parts of all items."""
    _, _, errors, floor, n, _ = snapshot
    return max(int(floor), int(errors.max(initial=0))) / max(1, int(n))

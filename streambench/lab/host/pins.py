"""Workers that the system did not let stay on their core."""

from __future__ import annotations

from collections.abc import Iterable


def warning(unpinned: Iterable[int]) -> str | None:
    """A sentence if there is a core that a worker could not be pinned to."""
    cores = sorted(set(unpinned))
    if not cores:
        return None
    named = f"core {cores[0]}" if len(cores) == 1 else f"cores {', '.join(map(str, cores))}"
    return f"the system refused to pin workers to {named}: they ran wherever it put them, so distrust the numbers"

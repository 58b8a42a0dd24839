"""Who of several did how much of the work."""

from __future__ import annotations

from collections.abc import Sequence


def shares(worked: Sequence[float]) -> tuple[float, ...]:
    """Each one's part of what all have done; none where nobody had anything to do."""
    whole = sum(worked)
    return tuple(each / whole for each in worked) if whole else ()

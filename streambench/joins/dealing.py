"""An ordered stream dealt over several, so that merging them gives it again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]


def dealt(ts: npt.NDArray[np.int64], sources: int) -> list[Rows]:
    """By source, the rows that it gets: the timestamps in turn, all rows of one to the same source.

    So each part is ordered, and a merge by (time, source, place) gives the rows in the order that they had.
    """
    turn = np.concatenate([[0], np.cumsum(ts[1:] != ts[:-1])])[: len(ts)] % sources
    return [np.flatnonzero(turn == each) for each in range(sources)]

"""What a summary has counted, as `Summary.snapshot` gives it, by name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Counted(NamedTuple):
    """Items by count, highest first, then by item; see `Snapshot` in summary.pxd for what the numbers promise."""

    items: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.int64]
    errors: npt.NDArray[np.int64]
    floor: int
    n: int
    in_flight: int

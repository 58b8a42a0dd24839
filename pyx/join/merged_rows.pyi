from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

def merged_rows(
    streams: Sequence[npt.NDArray[np.int64]], slack: int = 0
) -> tuple[npt.NDArray[np.int64], tuple[int, ...]]: ...

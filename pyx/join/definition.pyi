from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from streambench.pyx.join.predicate import Predicate

RULES: dict[str, int]

class Definition:
    def __init__(
        self,
        left_ts: npt.NDArray[np.int64],
        right_ts: npt.NDArray[np.int64],
        terms: Sequence[tuple[npt.NDArray[np.generic], npt.NDArray[np.generic], float | None]],
        window: int,
        rule: str = "exact",
        predicate: Predicate | None = None,
        left_columns: Sequence[npt.NDArray[np.generic]] = (),
        right_columns: Sequence[npt.NDArray[np.generic]] = (),
        *,
        compared_from: int = 0,
    ) -> None: ...
    @property
    def filters(self) -> int: ...
    @property
    def largest_window(self) -> int: ...
    @property
    def batch(self) -> int: ...
    @property
    def pairs(self) -> int: ...

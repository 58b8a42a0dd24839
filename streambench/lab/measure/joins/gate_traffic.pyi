from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from streambench.pyx.engine.crew import Crew

class GateTraffic(Crew):
    def __init__(
        self,
        kind: str,
        times: Sequence[npt.NDArray[np.int64]],
        readers: int = 1,
        capacity: int = 4096,
        cores: tuple[int, ...] = (),
    ) -> None: ...
    @property
    def sums(self) -> list[int]: ...

def sum_of(times: Sequence[npt.NDArray[np.int64]]) -> int: ...

import numpy as np
import numpy.typing as npt

class Summary:
    counters: int
    threads: int
    def __init__(self, counters: int, threads: int = 1) -> None: ...
    def add(self, items: npt.NDArray[np.uint64], thread: int = 0) -> None: ...
    def snapshot(
        self,
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.int64], int, int, int]: ...

import numpy as np
import numpy.typing as npt

from streambench.pyx.topk.summary import Summary

class Hashed(Summary):
    def __init__(self, counters: int, threads: int = 1) -> None: ...
    def held(self) -> npt.NDArray[np.uint64]: ...
    @property
    def nbytes(self) -> int: ...

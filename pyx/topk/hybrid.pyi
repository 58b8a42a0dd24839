import numpy as np
import numpy.typing as npt

from streambench.pyx.topk.summary import Summary

class Hybrid(Summary):
    def held(self) -> npt.NDArray[np.uint64]: ...
    @property
    def nbytes(self) -> int: ...

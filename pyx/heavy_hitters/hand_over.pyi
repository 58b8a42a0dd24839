import numpy as np
import numpy.typing as npt

def partitions_of(items: npt.NDArray[np.uint64], threads: int) -> npt.NDArray[np.int32]: ...

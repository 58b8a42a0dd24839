import numpy as np
import numpy.typing as npt

def checksum(data: bytes | npt.NDArray[np.uint8]) -> int: ...

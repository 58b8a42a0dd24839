from typing import Any

import numpy as np
import numpy.typing as npt

IntegerArray = npt.NDArray[np.integer[Any]]

def narrow(values: IntegerArray, valid: npt.NDArray[np.uint8] | None, out: IntegerArray, last: int) -> bool: ...
def moments(
    days: IntegerArray, seconds: IntegerArray, out: IntegerArray, last_day: int, last_second: int, last: int
) -> bool: ...
def narrow_decimals(halves: npt.NDArray[np.int64], out: IntegerArray, most: int) -> bool: ...

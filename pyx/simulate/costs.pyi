import numpy as np
import numpy.typing as npt

class Moved:
    UNIT_MOVED: int
    STATE_MOVED: int
    PLAN_WHOLE: int

class Costs:
    def __init__(self, work: npt.NDArray[np.int64], nanoseconds: npt.NDArray[np.float64]) -> None: ...

def table_of(kind: int, place: int, tuples: int, moved: int = 0) -> int: ...

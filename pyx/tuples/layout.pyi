import numpy as np

from streambench.pyx.tuples.data_types import ColumnType

CODES: dict[str, int]
MOST_COLUMNS: int

def type_named(name: ColumnType) -> np.dtype[np.generic]: ...

from typing import Any

import numpy as np

CODES: dict[str, int]
MOST_COLUMNS: int

def type_named(name: str | np.dtype[Any]) -> np.dtype[Any]: ...

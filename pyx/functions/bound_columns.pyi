from typing import Any

import numpy as np

class BoundColumns:
    def __init__(
        self,
        read: tuple[int, ...],
        read_types: tuple[np.dtype[Any], ...],
        first: int,
        written_types: tuple[np.dtype[Any], ...],
    ) -> None: ...

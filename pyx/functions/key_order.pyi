from typing import Any

import numpy as np

class KeyOrder:
    def __init__(
        self, columns: list[np.ndarray[Any, Any]], states: np.ndarray[Any, Any], times: np.ndarray[Any, Any] | None
    ) -> None: ...

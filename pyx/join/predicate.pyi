from typing import Any

import numpy as np

class Predicate:
    @property
    def left(self) -> tuple[str | tuple[str, str], ...]: ...
    @property
    def right(self) -> tuple[str | tuple[str, str], ...]: ...
    @property
    def reads(self) -> tuple[tuple[tuple[str, np.dtype[Any]], ...], tuple[tuple[str, np.dtype[Any]], ...]]: ...

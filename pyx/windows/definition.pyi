from typing import Any

import numpy as np

class WindowDefinition:
    def __init__(
        self,
        shape: str,
        size: int,
        step: int,
        origin: int,
        fill: bool,
        time: int,
        keys: tuple[int, ...],
        types: tuple[np.dtype[Any], ...],
        inputs: tuple[tuple[int, bool, int | None], ...],
        aggregates: tuple[tuple[str, int, int, float, int, int, tuple[int, bool, Any] | None], ...],
    ) -> None: ...
    @property
    def identity(self) -> str: ...

from collections.abc import Callable
from typing import Any

import numpy as np

from streambench.pyx.functions.bound_columns import BoundColumns
from streambench.pyx.tuples.data_types import State
from streambench.pyx.tuples.operator import Operator, PartitionedStateful

class KeyCall:
    def __init__(self, function: Callable[..., Any], compiled: Any, reads: tuple[int, ...]) -> None: ...

class KeyedFunction(PartitionedStateful):
    fusible: Any
    def __init__(
        self,
        function: Callable[..., Any],
        compiled: Any,
        bound: BoundColumns,
        columns: tuple[str, ...],
        in_place: bool,
        keys: tuple[tuple[int, np.dtype[Any]], ...],
        initial: np.ndarray[Any, Any],
        *,
        most: int = 1,
        last: KeyCall | None = None,
        timer: str | None = None,
    ) -> None: ...
    def open(self, partitions: int = 1) -> None: ...
    @property
    def identity(self) -> str: ...
    def save(self) -> State: ...
    def load(self, saved: State) -> None: ...
    def key_bytes(self) -> int: ...
    def fused_behind(self, before: tuple[Operator, ...]) -> Any: ...
    @property
    def row_size(self) -> int: ...
    @property
    def near_size(self) -> int: ...
    def cause(self, reason: int) -> BaseException | None: ...

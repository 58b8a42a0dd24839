from collections.abc import Callable
from typing import Any

import numpy as np

from streambench.pyx.functions.bound_columns import BoundColumns
from streambench.pyx.tuples.data_types import State
from streambench.pyx.tuples.operator import Operator, Stateful, Stateless

class StatelessFunction(Stateless):
    fusible: Any
    def __init__(
        self,
        function: Callable[..., Any],
        compiled: Any,
        bound: BoundColumns,
        columns: tuple[str, ...],
        in_place: bool,
        most: int,
        whole: bool = False,
    ) -> None: ...
    def fused_behind(self, before: tuple[Operator, ...]) -> Any: ...
    def cause(self, reason: int) -> BaseException | None: ...

class StatefulFunction(Stateful):
    def __init__(
        self,
        function: Callable[..., Any],
        compiled: Any,
        bound: BoundColumns,
        columns: tuple[str, ...],
        in_place: bool,
        most: int,
        initial: np.ndarray[Any, Any],
        *,
        last: tuple[Callable[..., Any], Any, BoundColumns] | None = None,
    ) -> None: ...
    def open(self, partitions: int = 1) -> None: ...
    @property
    def identity(self) -> str: ...
    def save(self) -> State: ...
    def load(self, saved: State) -> None: ...
    def cause(self, reason: int) -> BaseException | None: ...

class FilterFunction(Stateless):
    def __init__(
        self, function: Callable[..., Any], compiled: Any, bound: BoundColumns, columns: tuple[str, ...]
    ) -> None: ...
    def cause(self, reason: int) -> BaseException | None: ...

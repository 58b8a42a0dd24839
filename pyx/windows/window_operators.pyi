from typing import Any

import numpy as np

from streambench.pyx.tuples.operator import PartitionedStateful, Schema, Stateful, Stateless

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

class KeyedWindows(PartitionedStateful):
    def __init__(
        self,
        of: WindowDefinition,
        reads: dict[str, str],
        columns: tuple[str, ...],
        types: tuple[str, ...],
        flushes: bool,
    ) -> None: ...
    def open(self, partitions: int = 1) -> None: ...

class AllWindows(Stateful):
    def __init__(
        self,
        of: WindowDefinition,
        reads: dict[str, str],
        columns: tuple[str, ...],
        types: tuple[str, ...],
        flushes: bool,
    ) -> None: ...
    def open(self, partitions: int = 1) -> None: ...

class WindowOrder(Stateless):
    def __init__(self, n_keys: int, schema: Schema) -> None: ...

# What Python sees of the operators' classes; ``process`` and the like are compiled: extend the classes in Cython.

from typing import Any

import numpy as np

Schema = tuple[tuple[str, np.dtype[Any]], ...]

class SchemaError(ValueError): ...

class Operator:
    name: str
    columns: tuple[str, ...]
    types: tuple[str | np.dtype[Any], ...]
    reads: dict[str, str | tuple[str, ...]] | None
    @property
    def schema(self) -> Schema | None: ...
    list_column: int
    in_place: bool
    def bind(self, given: Schema) -> Schema: ...
    def open(self, partitions: int = 1) -> None: ...
    def prepare(self, partitions: int) -> None: ...

class Stateless(Operator): ...

class PartitionedStateful(Operator):
    low_key: int
    high_key: int
    partition_free: bool
    @property
    def partitions(self) -> int: ...
    def prepare(self, partitions: int) -> None: ...

class Stateful(Operator): ...

class Source(Operator):
    def total(self) -> int | None: ...
    def lap(self) -> int | None: ...

class Sink(Stateful): ...

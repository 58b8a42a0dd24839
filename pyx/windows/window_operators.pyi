from streambench.pyx.tuples.operator import PartitionedStateful, Schema, Stateful, Stateless
from streambench.pyx.windows.definition import WindowDefinition

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

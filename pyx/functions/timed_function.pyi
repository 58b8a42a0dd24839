from streambench.pyx.functions.keyed_operator import KeyCall, KeyedFunction
from streambench.pyx.tuples.data_types import State
from streambench.pyx.tuples.operator import PartitionedStateful, Schema, Stateless

HIDDEN_COLUMNS: dict[str, str]

class TimedFunction(PartitionedStateful):
    of: KeyedFunction
    def __init__(
        self,
        of: KeyedFunction,
        on_time: KeyCall,
        columns: tuple[str, ...],
        types: tuple[object, ...],
        time: int,
        at_end: bool,
    ) -> None: ...
    def open(self, partitions: int = 1) -> None: ...
    @property
    def identity(self) -> str: ...
    def save(self) -> State: ...
    def load(self, saved: State) -> None: ...
    def cause(self, reason: int) -> BaseException | None: ...

class TimerOrder(Stateless):
    def __init__(self, of: KeyedFunction, schema: Schema) -> None: ...

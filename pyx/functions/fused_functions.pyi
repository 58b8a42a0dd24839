from typing import Any

from streambench.pyx.functions.bound_columns import BoundColumns
from streambench.pyx.functions.keyed_operator import KeyedFunction
from streambench.pyx.tuples.operator import Operator

class FusedFunctions:
    def __init__(
        self, operators: tuple[Operator, ...], compiled: Any, bound: BoundColumns, keyed: KeyedFunction | None = None
    ) -> None: ...

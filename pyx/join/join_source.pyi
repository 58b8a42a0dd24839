from collections.abc import Mapping

import numpy.typing as npt

from streambench.pyx.join.definition import Definition
from streambench.pyx.tuples.data_types import State
from streambench.pyx.tuples.operator import Source

class JoinSource(Source):
    def __init__(
        self,
        definition: Definition,
        left: Mapping[str, npt.ArrayLike],
        right: Mapping[str, npt.ArrayLike],
        tier: str = "codes",
        time: str = "ts",
    ) -> None: ...
    def open(self, partitions: int = 1) -> None: ...
    @property
    def identity(self) -> str: ...
    def save(self) -> State: ...
    def load(self, saved: State) -> None: ...

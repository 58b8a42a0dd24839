from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from streambench.pyx.tuples.data_types import ColumnType, State
from streambench.pyx.tuples.heartbeat import Heartbeat
from streambench.pyx.tuples.operator import Source

NOT_YET: object

def most_laps(values: npt.NDArray[np.generic], shift: int, type: npt.DTypeLike | None = None) -> int: ...

class TableSource(Source):
    def __init__(
        self,
        columns: Sequence[npt.ArrayLike],
        names: Sequence[str],
        lap_shift: Sequence[int] | None = None,
        laps: int = 1,
        time: str | None = None,
    ) -> None: ...
    def open(self, partitions: int = 1) -> None: ...
    def save(self) -> State: ...
    def load(self, saved: State) -> None: ...
    def total(self) -> int: ...
    def lap(self) -> int | None: ...

class BatchSource(Source):
    def __init__(
        self,
        batches: Iterable[Sequence[npt.ArrayLike] | Heartbeat],
        names: Sequence[str],
        read_ahead: int = 4,
        total_tuples: int | None = None,
        types: Sequence[ColumnType] = (),
        time: str | None = None,
    ) -> None: ...
    @property
    def error(self) -> BaseException | None: ...
    @property
    def first(self) -> int: ...
    @property
    def taken(self) -> int: ...
    def restart(self, batches: Iterable[object], first: int = 0) -> None: ...
    def total(self) -> int | None: ...

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.pyx.tuples.heartbeat import Heartbeat
from streambench.pyx.tuples.operator import Source

class StreamError(ValueError): ...
class LateTuplesWarning(UserWarning): ...

class GateSource(Source):
    def __init__(
        self,
        streams: Iterable[Source | Mapping[str, npt.ArrayLike] | Iterable[Sequence[npt.ArrayLike] | Heartbeat]],
        names: Sequence[str] | None = None,
        time: str = "ts",
        slack: int = 0,
        types: Sequence[str | np.dtype[Any]] = (),
        source: str | None = None,
        gate: str = "ring",
    ) -> None: ...
    told: bool
    @property
    def streams(self) -> tuple[Source, ...]: ...
    @property
    def error(self) -> BaseException | None: ...
    @property
    def late(self) -> tuple[int, ...]: ...
    def open(self, partitions: int = 1) -> None: ...
    def total(self) -> int | None: ...

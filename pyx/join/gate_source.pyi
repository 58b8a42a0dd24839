from collections.abc import Iterable, Mapping, Sequence

import numpy.typing as npt
import pyarrow as pa

from streambench.pyx.tuples.data_types import ColumnType
from streambench.pyx.tuples.errors import UnfitDataError
from streambench.pyx.tuples.heartbeat import Heartbeat
from streambench.pyx.tuples.operator import Source

def unread(stream: str, reason: BaseException) -> BaseException: ...

class StreamError(UnfitDataError): ...
class LateTuplesWarning(UserWarning): ...

class GateSource(Source):
    def __init__(
        self,
        streams: Iterable[Source | Mapping[str, npt.ArrayLike] | Iterable[Sequence[npt.ArrayLike] | Heartbeat]],
        names: Sequence[str] | None = None,
        time: str = "ts",
        slack: int = 0,
        types: Sequence[ColumnType] = (),
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
    @property
    def held_columns(self) -> object: ...
    @property
    def dictionaries(self) -> dict[str, pa.Array]: ...
    def restore(self, table: pa.Table, names: Mapping[str, str] | None = None) -> pa.Table: ...
    def open(self, partitions: int = 1) -> None: ...
    def total(self) -> int | None: ...

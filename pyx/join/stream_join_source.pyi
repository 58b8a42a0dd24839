from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from streambench.pyx.join.join_source import JoinSource
from streambench.pyx.join.predicate import Predicate
from streambench.pyx.tuples.data_types import Band, State
from streambench.pyx.tuples.operator import Source

class StreamJoinSource(JoinSource):
    def __init__(
        self,
        left: Source,
        right: Source,
        window: int,
        equal: Iterable[Sequence[str]] = (),
        bands: Iterable[Band] = (),
        rule: str = "exact",
        time: str | tuple[str, str] = "ts",
        predicate: Predicate | None = None,
        tier: str = "codes",
        capacity: int = 262144,
    ) -> None: ...
    @property
    def sides(self) -> tuple[Source, Source]: ...
    @property
    def capacity(self) -> int: ...
    @property
    def error(self) -> BaseException | None: ...
    @property
    def held_columns(self) -> object: ...
    @property
    def dictionaries(self) -> dict[str, pa.Array]: ...
    def restore(self, table: pa.Table, names: Mapping[str, str] | None = None) -> pa.Table: ...
    def open(self, partitions: int = 1) -> None: ...
    def save(self) -> State: ...

from collections.abc import Iterable, Sequence
from typing import Any

from streambench.pyx.join.join_source import JoinSource
from streambench.pyx.join.predicate import Predicate
from streambench.pyx.tuples.operator import Source

class StreamJoinSource(JoinSource):
    def __init__(
        self,
        left: Source,
        right: Source,
        window: int,
        equal: Iterable[Sequence[str]] = (),
        bands: Iterable[Sequence[Any]] = (),
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
    def open(self, partitions: int = 1) -> None: ...

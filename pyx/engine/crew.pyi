from collections.abc import Callable
from typing import Any

class Crew:
    token: Any
    unpinned: list[int]
    accounts: list[tuple[int, int, int]]
    begun_ns: int
    begun_ticks: int
    def __init__(self, workers: int, cores: tuple[int, ...] = ()) -> None: ...
    def begin(self) -> None: ...
    def run(self, watch: Callable[[int], object] | None = None) -> None: ...
    @property
    def seconds(self) -> float: ...

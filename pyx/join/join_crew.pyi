import numpy as np
import numpy.typing as npt
from streambench.pyx.join.arrivals import Arrivals

from streambench.pyx.engine.crew import Crew
from streambench.pyx.join.definition import Definition

TIERS: dict[str, type]

def tier_named(name: str) -> type: ...

class JoinCrew(Crew):
    def __init__(
        self,
        definition: Definition,
        tier: str,
        threads: int = 1,
        batch: int = 0,
        cores: tuple[int, ...] = (),
        arrivals: Arrivals | None = None,
        expected: int = 0,
    ) -> None: ...
    def matches(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
    @property
    def batch(self) -> int: ...
    @property
    def compared(self) -> list[int]: ...
    @property
    def comparing_seconds(self) -> float: ...
    @property
    def left_ns(self) -> npt.NDArray[np.int64]: ...

import numpy as np
import numpy.typing as npt

from streambench.pyx.engine.crew import Crew
from streambench.pyx.join.definition import Definition

class HandshakeCrew(Crew):
    def __init__(
        self, definition: Definition, threads: int = 1, credit: int = 0, cores: tuple[int, ...] = ()
    ) -> None: ...
    def matches(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
    @property
    def compared(self) -> list[int]: ...
    @property
    def comparing_seconds(self) -> float: ...

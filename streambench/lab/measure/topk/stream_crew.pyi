import numpy as np
import numpy.typing as npt

from streambench.pyx.engine.crew import Crew
from streambench.pyx.topk.summary import Summary

class StreamCrew(Crew):
    def __init__(
        self,
        summary: Summary,
        streams: list[npt.NDArray[np.uint64]],
        query_every: int = 0,
        failing: float = 0.0,
        seed: int = 1,
        cores: tuple[int, ...] = (),
        laps: int = 1,
        wait: float = 0.0,
    ) -> None: ...
    @property
    def counted(self) -> list[int]: ...
    @property
    def asked(self) -> int: ...
    @property
    def query_seconds(self) -> npt.NDArray[np.float64]: ...
    @property
    def stale_items(self) -> npt.NDArray[np.int64]: ...

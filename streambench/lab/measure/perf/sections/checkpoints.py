"""Checkpoints: what they cost a stream whose state by key takes about 100 MB in each, one a second.

Every run is a window by key that stays open, over ids that are anywhere; half of the runs make checkpoints. The first
two of a run are copied to memory that is new to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from streambench.errors import StreambenchError
from streambench.execution.execute import Execution
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.lab.measure.perf.case import NS, Measured, PerfCase, Row, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.pyx.tuples.table_sink import TableSink
from streambench.pyx.tuples.table_source import TableSource
from streambench.windows.window import window

KEYS = 4_800_000  # of which a lap has five sixths: 100 MB in a checkpoint, and more in memory
LAP, FEWEST_KEYS = 1 << 23, 1 << 10
LONG = 30  # times as long as other runs, with eight checkpoints or so
WITHOUT, WITH, WAITS = "without", "with checkpoints", "admission waits"


@dataclass(frozen=True)
class CheckpointedRun:
    """``pauses``: in ns; ``saved``: bytes of the largest checkpoint that was left."""

    seconds: float
    tuples: int
    digest: str
    pauses: list[int]
    saved: int

    @property
    def ns(self) -> float:
        """Of a tuple."""
        return self.seconds / self.tuples * 1e9

    @property
    def waits(self) -> float:
        """The share of the time in which admission waited for checkpoints, in percent."""
        return sum(self.pauses) / self.seconds * 1e-7

    @property
    def longest(self) -> int:
        """The longest pause, in ns."""
        return max(self.pauses, default=0)


@dataclass(frozen=True)
class CheckpointStream:
    """``keys`` in a stream that ``workers`` take ``seconds`` for."""

    keys: int
    workers: int
    seconds: float

    @cached_property
    def _columns(self) -> list[npt.NDArray[np.int64]]:
        random = np.random.default_rng(1)
        ids = random.integers(0, 1 << 60, self.keys)
        rows = min(LAP, 6 * self.keys)
        return [np.zeros(rows, np.int64), ids[random.integers(0, self.keys, rows)], random.integers(0, 1000, rows)]

    @cached_property
    def _laps(self) -> int:
        laps = 1
        for _ in range(3):  # one lap alone is mostly a run's beginning
            laps = max(1, round(laps * self.seconds / self._ran(None, self._options(laps)).seconds))
        return laps

    @cached_property
    def _digest(self) -> str:
        return self._ran(None, Options.of(self._options(self._laps), engine="serial", workers=None)).digest

    def _options(self, laps: int) -> Options:
        return Options(workers=self.workers, laps=laps, preload=True)

    def run(self, every: float | None) -> CheckpointedRun:
        """A run, with checkpoints unless ``every`` is None. Raises StreambenchError for a wrong output sequence."""
        ran = self._ran(every, self._options(self._laps))
        if ran.digest != self._digest:
            raise StreambenchError(f"checkpoints, {self}: the output sequence is not the serial engine's.")
        return ran

    def _ran(self, every: float | None, options: Options) -> CheckpointedRun:
        source = TableSource(self._columns, ["ts", "key", "value"], laps=options.laps)
        sink = TableSink(keep=False)
        opened = window({"n": "count", "total": ("sum", "value")}, size=1, by="key")
        pipeline = Pipeline([source, opened, sink])
        with TemporaryDirectory(prefix="streambench-") as folder:
            place = None if every is None else folder
            execution = Execution(pipeline, options, checkpoint=place, every=every)
            measured = execution.run()
            saved = max((each.stat().st_size for each in Path(folder).glob("*.state")), default=0)
        return CheckpointedRun(measured.seconds, measured.tuples, sink.digest, execution.pauses or [], saved)


def checkpoints(settings: PerfSettings) -> list[PerfCase]:
    """One and two workers, with and without."""
    seconds = LONG * settings.seconds
    every = min(1.0, seconds / 9)
    keys = max(FEWEST_KEYS, int(KEYS * min(1.0, settings.seconds / PerfSettings.seconds)))

    def measure(workers: int, name: str, into: Measured, tell: Tell) -> None:
        stream = CheckpointStream(keys, workers, seconds)
        things = {WITHOUT: partial(stream.run, None), WITH: partial(stream.run, every)}
        runs = interleave(things, settings.repeats, into.distances, tell, limit=settings.limit)
        into.keep({what: [each.ns for each in runs[what]] for what in things}, NS)
        into.keep({WAITS: [each.waits for each in runs[WITH]]}, "%")
        longest = median(each.longest for each in runs[WITH])
        saved = max(each.saved for each in runs[WITH])
        note = f"one every {every:g} s, of {saved / 1e6:.3g} MB; the longest wait {longest * 1e-6:.3g} ms"
        into.add(
            [
                Row(f"{name}: with checkpoints against without", WITHOUT, WITH, note=note),
                Row(f"{name}: admission waits", WAITS, unit="%", note="of the time"),
            ]
        )

    crews = {1: "1 worker", 2: "2 workers"}
    return [PerfCase(name, partial(measure, workers, name)) for workers, name in crews.items()]

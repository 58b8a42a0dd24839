"""How a run gets through a change of its stream: by the markers' latency, and the plans that were chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.execution.measurement import Measurement

Seconds = npt.NDArray[np.float64]

WINDOW = 2e-3  # seconds: one late tuple is no disturbance, the median of so long is
CALM = 10  # windows in a row within the band: the change is over, whatever disturbs the machine later
MOST_WINDOWS = 400  # of a track


@dataclass(frozen=True)
class Passage:
    """Seconds from a change until the ``plan`` that stays was chosen, and until latency was ``back`` in its band; the
    ``worst`` latency from arrival on the way. ``plan`` is 0 where no other plan was chosen, but all the time there was
    where latency was ``never`` back: no plan that was chosen fitted."""

    plan: float
    back: float
    worst: float
    never: bool


@dataclass(frozen=True)
class Track:
    """A run over time, in seconds from its start: when markers were ``due``, how long they took from then on
    (``latency``), and which ``plans`` were chosen when, the first at the start."""

    due: Seconds
    latency: Seconds
    plans: Sequence[tuple[float, str]]

    @classmethod
    def of(cls, measured: Measurement) -> Track:
        """Of a run at a rate."""
        due, left = measured.due, measured.markers[2]
        assert due is not None, "there is a rate"
        choices = [(float(each["seconds"]), str(each["plan"])) for each in measured.choices]
        kept = [each for k, each in enumerate(choices) if k == 0 or each[1] != choices[k - 1][1]]
        return cls(due, left - due, kept)

    def passage(self, begin: float, end: float, band: float) -> Passage:
        """Of a change at ``begin`` with nothing else until ``end``: latency is back where ``CALM`` windows in a row
        begin whose medians are within the ``band``. Where that is never, `back` ends with the last late window. Raises
        ValueError where no marker was due.
        """
        came = (self.due >= begin) & (self.due < end)
        if not came.any():
            raise ValueError("no marker was due between the change and the end")
        chosen = [at - begin for at, _ in self.plans if begin <= at < end]
        back, calm = begin, 0
        for _, last, middle, _ in self.windows(begin, end, WINDOW):
            if calm < CALM:
                back, calm = (last, 0) if middle > band else (back, calm + 1)
        never = back > begin and calm < CALM
        plan = end - begin if never else chosen[-1] if chosen else 0.0
        return Passage(plan, back - begin, float(self.latency[came].max()), never)

    def windows(self, begin: float, end: float, width: float) -> Iterator[tuple[float, float, float, float]]:
        """Begin, end, median and greatest latency of each window in which markers were due."""
        edges = np.append(np.arange(begin, end, width), end)
        places = np.searchsorted(self.due, edges)
        for k in range(len(edges) - 1):
            latencies = self.latency[places[k] : places[k + 1]]
            if len(latencies):
                yield float(edges[k]), float(edges[k + 1]), float(np.median(latencies)), float(latencies.max())

    def plain(self, name: str, changes: Sequence[tuple[float, str]], band: float) -> dict[str, Any]:
        """As a result file keeps it: windows of equal length, at most ``MOST_WINDOWS``."""
        end = float(self.due[-1])
        windows = list(self.windows(0.0, end, max(WINDOW, end / MOST_WINDOWS)))
        return {
            "name": name,
            "band": band,
            "changes": [[at, what] for at, what in changes],
            "plans": [[at, plan] for at, plan in self.plans],
            "seconds": [round((first + last) / 2, 6) for first, last, _, _ in windows],
            "median": [float(f"{middle:.4g}") for _, _, middle, _ in windows],
            "greatest": [float(f"{most:.4g}") for _, _, _, most in windows],
        }

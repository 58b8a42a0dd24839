"""What `streambench bench joins` measures, and its presets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from streambench.errors import OptionError
from streambench.host.limits import default_workers
from streambench.lab.measure.joins.case_studies import CASE_STUDIES, PAPER_SECONDS
from streambench.lab.measure.joins.crews import JOINS, TIERS
from streambench.lab.measure.named import require_once
from streambench.lab.measure.repeats import require_repeats

MOST_THREADS = 1024
MOST_WINDOW = 86400  # seconds


@dataclass(frozen=True)
class Settings:
    """Every tier on every number of threads, with every window.

    ``joins``: `scale`, and what it is compared with. ``windows``: seconds of event time. ``seconds``: what a run's
    steady phase lasts, about. ``load``: of the sustainable rate, at which latency is measured. ``most_tuples``: in a
    window; rates that need more are not tried. ``studies``: of several physical streams, each of ``study_seconds``.
    ``gates``: whether gates are measured by themselves, too.
    """

    joins: Sequence[str] = tuple(JOINS)
    tiers: Sequence[str] = TIERS
    threads: Sequence[int] = ()
    windows: Sequence[float] = (300.0, 600.0, 900.0)
    repeats: int = 7
    seconds: float = 2.0
    load: float = 0.8
    studies: Sequence[str] = tuple(CASE_STUDIES)
    study_seconds: float = PAPER_SECONDS
    gates: bool = True
    most_tuples: int = 1 << 25
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.threads:
            object.__setattr__(self, "threads", tuple(dict.fromkeys((1, default_workers()))))
        for name in self.joins:
            if name not in JOINS:
                raise OptionError(f"there is no join {name!r}: choose from {', '.join(JOINS)}.")
        for tier in self.tiers:
            if tier not in TIERS:
                raise OptionError(f"there is no tier {tier!r}: choose from {', '.join(TIERS)}.")
        for what, values in (
            ("join", self.joins),
            ("tier", self.tiers),
            ("number of threads", self.threads),
        ):
            require_once(what, values)
        for name in self.studies:
            if name not in CASE_STUDIES:
                raise OptionError(f"there is no case study {name!r}: choose from {', '.join(CASE_STUDIES)}.")
        require_once("window", self.windows)
        require_once("case study", self.studies)
        if not all(1 <= each <= MOST_THREADS for each in self.threads):
            raise OptionError(f"`threads` must be from 1 to {MOST_THREADS}, not {', '.join(map(str, self.threads))}.")
        if not all(math.isfinite(each) and 0 < each <= MOST_WINDOW for each in self.windows):
            raise OptionError(f"`windows` must last more than 0 and at most {MOST_WINDOW} seconds.")
        require_repeats(self.repeats)
        if self.seed < 0:
            raise OptionError(f"`seed` must be at least 0, not {self.seed}.")
        if not (math.isfinite(self.seconds) and 0 < self.seconds <= 3600):
            raise OptionError(f"`seconds` must be more than 0 and at most 3600, not {self.seconds}.")
        if not (math.isfinite(self.study_seconds) and 0 < self.study_seconds <= 3600):
            raise OptionError(f"`study_seconds` must be more than 0 and at most 3600, not {self.study_seconds}.")
        if not 0 < self.load <= 1:
            raise OptionError(f"`load` must be more than 0 and at most 1, not {self.load}.")
        if self.most_tuples < 1024:
            raise OptionError(f"`most_tuples` must be at least 1024, not {self.most_tuples}.")

    def plain(self) -> dict[str, Any]:
        """All of it as plain values: two are the same if and only if these are equal."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "quick": {"windows": (1.0, 2.0, 3.0), "repeats": 3, "seconds": 0.1, "most_tuples": 1 << 21, "study_seconds": 3.0},
}
"""`paper`: windows of 5, 10 and 15 minutes. `quick`: of as many seconds as fill in no time."""

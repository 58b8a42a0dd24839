"""How long and how often everything is measured, and over what."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.lab.measure.named import named_queries, require_once
from streambench.lab.measure.perf.targets import QUERIES
from streambench.lab.measure.repeats import require_repeats
from streambench.lab.measure.time_limit import NO_LIMIT, TimeLimit


@dataclass(frozen=True)
class PerfSettings:
    """``sections``: by name. ``seconds``: about how long a run lasts. ``repeats``: of each. ``data``: the queries'
    directory, None for none. ``queries``: those that are measured. ``workers``: numbers of workers, of the sections
    ``scaling`` (none: 1, 2, 4 and so on to all cores) and ``plans`` (the greatest; none: 2). ``case``: only cases whose
    name holds one of these texts. ``limit``: cases share its time evenly. Raises OptionError for a value that nobody
    could measure with.
    """

    sections: Sequence[str] = ()
    seconds: float = 0.3
    repeats: int = 9  # the least number whose interval leaves out one odd run at either end
    data: Path | None = None
    queries: Sequence[str] = QUERIES
    workers: Sequence[int] = ()
    case: Sequence[str] = ()
    limit: TimeLimit = NO_LIMIT

    def __post_init__(self) -> None:
        require_repeats(self.repeats)
        if not (math.isfinite(self.seconds) and 0 < self.seconds <= 3600):
            raise OptionError(f"`seconds` must be more than 0 and at most 3600, not {self.seconds}.")
        if not self.queries:
            raise OptionError("name at least one query.")
        object.__setattr__(self, "queries", named_queries(self.queries))
        require_once("number of workers", self.workers)
        for count in self.workers:
            Options(workers=count)
        for name in self.queries:
            if name not in QUERIES:
                raise OptionError(f"{name} has no hand-written loop to be measured against: leave it out.")

    @property
    def streams(self) -> tuple[str, ...]:
        """The queries that can be measured: none without data."""
        return tuple(self.queries) if self.data is not None else ()

    def plain(self) -> dict[str, Any]:
        """What a result file says of it."""
        content: dict[str, Any] = {"sections": list(self.sections), "seconds": self.seconds, "repeats": self.repeats}
        content |= {"queries": list(self.streams)}
        content |= {"workers": list(self.workers)} if self.workers else {}
        return content | ({"case": list(self.case)} if self.case else {})

"""`streambench bench topk`: what is measured of top-k summaries, and its presets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from streambench.errors import OptionError
from streambench.lab.measure.frame import Bench, BenchCall
from streambench.lab.measure.named import require_choices, require_once
from streambench.lab.measure.repeats import require_repeats
from streambench.lab.measure.topk.data_streams import COLUMNS, data_streams
from streambench.lab.measure.topk.designs import DESIGNS, OF_ONE_STREAM, RHO, SLEEP, USUAL
from streambench.lab.measure.topk.points import FIGURES, SOURCES, ZIPF, Law, TopkPoint, laws, points
from streambench.lab.measure.topk.run import checked
from streambench.lab.measure.topk.word_streams import word_streams
from streambench.lab.measure.topk.zipf_streams import ExactCounts, Items, zipf_streams
from streambench.lab.record.journal import Record
from streambench.lab.record.topk_summary import KIND

RUN_SECONDS = 0.3
MOST_LAPS = 1 << 12
MOST_STREAMS = 256
MOST_ITEMS = 1 << 31  # of all streams together: 16 GiB


@dataclass(frozen=True)
class TopkBench(Bench):
    """Every design over every number of streams, a thread for each, from every source, of Zipf's law at every α.

    ``items``: of a stream, which is counted as many times as a run of about ``seconds`` takes. ``failing``:
    probabilities that a read finds no item; where one does, only what the paper measures so. ``wait``: seconds that
    such a read takes. ``rhos``: requests in a queue above which a thread of the design auto-tuned sleeps, for ``sleep``
    seconds. ``query_every``: items of all streams between two queries, where a design is asked while it counts; 0
    for none.
    ``figures``: of which everything is measured, those that are not over ε or ρ with the first of these. Raises
    OptionError for what nobody could measure.
    """

    kind = KIND
    growing = ("designs", "sources", "alphas", "streams", "epsilons", "rhos", "failing", "figures", "repeats")

    designs: Sequence[str] = USUAL
    sources: Sequence[str] = (ZIPF,)
    alphas: Sequence[float] = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
    streams: Sequence[int] = (4, 8, 16, 32)
    items: int = 1_000_000
    seconds: float = RUN_SECONDS
    epsilons: Sequence[float] = (0.0001,)
    rhos: Sequence[int] = (RHO,)
    sleep: float = SLEEP
    failing: Sequence[float] = (0.0, 0.1, 0.25, 0.5)
    wait: float = 0.0
    query_every: int = 50_000
    figures: Sequence[str] = tuple(FIGURES)
    repeats: int = 7
    seed: int = 1

    def __post_init__(self) -> None:
        require_choices("design", self.designs, DESIGNS)
        require_choices("source", self.sources, SOURCES)
        require_choices("figure", self.figures, FIGURES)
        axes = {"α": self.alphas, "number of streams": self.streams, "probability": self.failing}
        for what, values in {**axes, "ε": self.epsilons, "ρ": self.rhos}.items():
            require_once(what, values)
        for name in {*self.designs}.intersection(OF_ONE_STREAM) if max(self.streams) > 1 else ():
            raise OptionError(f"{name} counts one stream in one thread: leave it out, or give `streams` 1.")
        if not all(math.isfinite(each) and 0 <= each <= 10 for each in self.alphas):
            raise OptionError(f"`alphas` must be from 0 to 10, not {', '.join(f'{each:g}' for each in self.alphas)}.")
        if not all(1 <= each <= MOST_STREAMS for each in self.streams):
            raise OptionError(f"`streams` must be from 1 to {MOST_STREAMS}, not {', '.join(map(str, self.streams))}.")
        if not 1 <= self.items <= MOST_ITEMS // max(self.streams):
            raise OptionError(f"`items` of all streams together must be 1 to {MOST_ITEMS}, not {self.items} of each.")
        if not (math.isfinite(self.seconds) and 0 < self.seconds <= 3600):
            raise OptionError(f"`seconds` must be more than 0 and at most 3600, not {self.seconds:g}.")
        if not all(1e-7 <= each < 1 for each in self.epsilons):
            raise OptionError(
                f"`epsilons` must be from 1e-7 to less than 1, not {', '.join(f'{each:g}' for each in self.epsilons)}."
            )
        if not all(each >= 1 for each in self.rhos):
            raise OptionError(f"`rhos` must be at least 1, not {', '.join(map(str, self.rhos))}.")
        if not 0 <= self.sleep <= 1:
            raise OptionError(f"`sleep` must be from 0 to 1 second, not {self.sleep:g}.")
        if not all(0 <= each < 1 for each in self.failing):
            raise OptionError("`failing` are probabilities, from 0 to less than 1.")
        if not 0 <= self.wait <= 1:
            raise OptionError(f"`wait` must be from 0 to 1 second, not {self.wait:g}.")
        if self.query_every < 0:
            raise OptionError(f"`query_every` is a number of items, or 0 for no query, not {self.query_every}.")
        require_repeats(self.repeats)
        if self.seed < 0:
            raise OptionError(f"`seed` must be at least 0, not {self.seed}.")
        if not self.points():
            raise OptionError("nothing is left to measure: these figures show none of these designs at these α.")

    def points(self) -> list[TopkPoint]:
        """All that is measured, by α."""
        return points(self)

    @property
    def drawn(self) -> tuple[str, ...]:
        """Those of the figures whose designs are all measured, over one of their sources, and at several values of ε or
        ρ if they are over these; if none is, all of them."""
        needs = {name: FIGURES[name] for name in self.figures}
        whole = [
            name
            for name, each in needs.items()
            if {*each.designs} <= {*self.designs}
            and not {*each.sources}.isdisjoint(self.sources)
            and len(self.epsilons) > each.epsilons
            and len(self.rhos) > each.rhos
        ]
        return tuple(whole or self.figures)

    def runs(self, call: BenchCall) -> list[Record]:
        """By source and α, whose streams are in memory together."""
        points, runs, done, every = self.points(), list[Record](), 0.0, laws(self)
        for place, law in enumerate(every):
            call.limit.begin_part(len(every) - place)
            own = [point for point in points if (point.source, point.alpha) == law]
            share = done, done + len(own) / len(points)
            streams = StreamsOfLaw(self, law, call, partial(_tell, call, done))
            runs += call.interleaved(own, self.repeats, streams.checked, streams.title, share)
            done = share[1]
        return runs


def _tell(call: BenchCall, fraction: float, what: str) -> None:
    call.tell(what, fraction)


class StreamsOfLaw:
    """The streams of one source and α, made when the first run needs them, and exact counts by how many there are."""

    def __init__(self, bench: TopkBench, law: Law, call: BenchCall, tell: Callable[[str], None]) -> None:
        self._bench, self._call, self._tell = bench, call, tell
        self._source, self._alpha = law
        self._name = self._source if self._alpha is None else f"α {self._alpha:g}"
        self._exact: dict[int, ExactCounts] = {}

    def title(self, point: TopkPoint) -> str:
        """``α 1.5: shared, 4 threads, α 1.5``."""
        return f"{self._name}: {point.title()}"

    def checked(self, point: TopkPoint, repeat: int) -> Record:
        """A measured run as a record."""
        streams = self._streams[: point.threads]
        if point.threads not in self._exact:
            self._exact[point.threads] = ExactCounts(streams)
        exact = self._exact[point.threads]

        def lasting() -> Record:
            """Laps, by what one takes; a run that is wrong stays at one."""
            seconds = checked(point, streams, exact, self._bench, repeat)["seconds"]
            return {"laps": 1 if seconds is None else min(MOST_LAPS, math.ceil(self._bench.seconds / seconds))}

        laps = int(self._call.step("length", " ".join(map(str, point)), lasting)["laps"])
        return checked(point, streams, exact, self._bench, repeat, laps)

    @cached_property
    def _streams(self) -> list[Items]:
        many, items = max(self._bench.streams), self._bench.items
        if self._source in COLUMNS:
            self._tell(f"{self._name}: reading the data")
            assert self._call.data.catalog is not None, "streams of data have a data directory"
            return data_streams(self._call.data.catalog, self._source, many, items)
        if self._alpha is None:
            return word_streams(many, items)
        return zipf_streams(
            self._alpha,
            many,
            items,
            self._bench.seed,
            tell=lambda count: self._tell(f"{self._name}: {count} of {many} streams made"),
        )


PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "quick": {
        "alphas": (0.5, 1.0, 1.5, 2.5),
        "streams": (4, 8),
        "items": 100_000,
        "failing": (0.0, 0.25),
        "repeats": 3,
    },
}
"""`paper`: as in section 5. `quick`: fewer of all, in about two minutes on 2 cores."""

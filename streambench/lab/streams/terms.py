"""What a stream is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from streambench.errors import OptionError
from streambench.queries import stream_query

SOURCES = ("files", "rate", "socket", "kafka")
MOST_BUCKETS = 4096


@dataclass(frozen=True)
class StreamTerms:
    """A query, where its rows come from, and where it keeps what it needs to go on. Raises OptionError for others.

    ``data``: the data directory, whose files are the stream of the source ``files``; of the others it has only what is
    looked up. ``place``: ``host:port`` of a socket, or Kafka's brokers. ``rate``: rows per second, of the source
    ``rate``. ``lateness``: seconds by which a row may come later than others. ``buckets``: parts that the keys are
    dealt to, each with a state of its own. ``trigger``: seconds between two micro-batches; None: take what is there,
    then end. ``out``: what the micro-batches add (None: a folder of the checkpoint). ``files_per_trigger``: at most, of
    the source ``files``.
    """

    query: str
    source: str
    checkpoint: Path
    parameter_set: str = "paper"
    data: Path | None = None
    place: str | None = None
    topic: str | None = None
    rate: int = 1000
    lateness: int = 0
    buckets: int = 8
    master: str = "local[*]"
    trigger: float | None = None
    out: Path | None = None
    files_per_trigger: int | None = None

    def __post_init__(self) -> None:
        if self.query not in stream_query.STREAMED:
            reason = stream_query.REFUSED.get(self.query, "there is no such query")
            raise OptionError(f"{self.query} is no stream ({reason}): take one of {', '.join(stream_query.STREAMED)}.")
        if self.source not in SOURCES:
            raise OptionError(f"`source` must be one of {', '.join(SOURCES)}, not {self.source!r}.")
        if not 1 <= self.buckets <= MOST_BUCKETS:
            raise OptionError(f"`buckets` must be 1 to {MOST_BUCKETS}, not {self.buckets}.")
        if self.lateness < 0:
            raise OptionError(f"`lateness` must be 0 seconds or more, not {self.lateness}.")
        if self.rate < 1:
            raise OptionError(f"`rate` must be 1 row per second or more, not {self.rate}.")
        if self.source == "files" and self.data is None:
            raise OptionError("the source files needs `data`: the directory whose files are the stream.")
        if self.source in ("socket", "kafka") and self.place is None:
            raise OptionError(f"the source {self.source} needs `host`, such as localhost:9999.")
        if (self.source == "kafka") != (self.topic is not None):
            raise OptionError("`topic` and the source kafka need each other.")
        if self.files_per_trigger is not None and (self.source != "files" or self.files_per_trigger < 1):
            raise OptionError("`files-per-trigger` must be 1 or more, and only the source files has it.")
        if self.source in ("rate", "socket") and self.trigger is None:
            raise OptionError(f"the source {self.source} never ends: give `trigger` a time between micro-batches.")

    @property
    def spark_checkpoint(self) -> Path:
        """Spark's own part of the checkpoint."""
        return self.checkpoint / "spark"

    @property
    def output(self) -> Path:
        """Where the micro-batches' output goes."""
        return self.out or self.checkpoint / "out"

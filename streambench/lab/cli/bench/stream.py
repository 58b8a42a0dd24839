"""`streambench bench stream`: how long a row takes end to end in a stream on Spark, ours beside Spark's own."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, bench_of, frame_options
from streambench.lab.cli.bench.bench_options import data_directory, seconds
from streambench.lab.cli.options import argument, command_of, command_options, option
from streambench.lab.host import interrupts
from streambench.lab.measure.frame import Bench, BenchCall
from streambench.lab.record.journal import Record
from streambench.lab.record.stream_bench_summary import KIND
from streambench.lab.show.tables import stream as table
from streambench.lab.streams.terms import StreamTerms

QUERIES = ("q2", "q4")


@command_options
class StreamBenchOptions:
    """Fields as those of ``StreamBench``."""

    query: str = argument(type=click.Choice(QUERIES))
    data: Path | None = data_directory("The data directory of what the query looks up.")
    seconds: float = seconds("Of each run; there are four or more.", "20s", "--run-time")
    master: str = option("The Spark master.", StreamTerms.master, metavar="URL")
    buckets: int = option("Parts of the keys, and tasks, of both.", StreamTerms.buckets)
    frame: FrameOptions = frame_options("json_path", folder="Where the dated result file goes.")


@command_of(StreamBenchOptions)
def command(options: StreamBenchOptions) -> None:
    """Measure how long a row takes end to end, at half of what is sustained: ours, and Spark's session windows.

    Rows are made up. `committed` is from when a row was made until its micro-batch is committed, `ordered` until the
    watermark has passed it, too, so that it is in the operators: they take rows in order.

    \b
    Example:
      streambench bench stream q4 --data data/sf0.05 --run-time 30s
    """
    BenchFrame(options.frame, table).run(bench_of(StreamBench, options))


@dataclass(frozen=True)
class StreamBench(Bench):
    """``seconds`` of each run of a ``query``, whose looked-up tables ``data`` has, on ``master``."""

    kind = KIND
    resumes = False

    query: str
    seconds: float
    master: str
    buckets: int
    data: Path | None = None

    def plain(self) -> dict[str, Any]:
        """All but the data, which have no part in what is measured."""
        return {"query": self.query, "seconds": self.seconds, "master": self.master, "buckets": self.buckets}

    def runs(self, call: BenchCall) -> list[Record]:
        """Of each contender."""
        none = {"ordered": None, "query": self.query, "core_round_trip_ns": None}
        return [{**none, "contender": name, **each} for name, each in self._measured().items()]

    def _measured(self) -> dict[str, dict[str, Any]]:
        with interrupts.held():
            from streambench.lab.streams import latency, run
            from streambench.lab.streams.session import session

        with tempfile.TemporaryDirectory(prefix="streambench-stream-") as folder:
            place = Path(folder)
            terms = StreamTerms(
                self.query, "rate", place, data=self.data, buckets=self.buckets, master=self.master, trigger=1.0
            )
            work = run.work_of(terms)
            with session(self.master, self.buckets) as opened:
                return latency.measure(opened, terms, work, self.seconds, place)

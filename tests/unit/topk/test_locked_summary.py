from __future__ import annotations

from item_streams import STREAMS, check, exact

from streambench.lab.measure.topk.stream_crew import StreamCrew
from streambench.pyx.topk.locked_summary import LockedSummary


def test_threads_share_one_summary() -> None:
    streams = [STREAMS[name](10_000) for name in ("zipf 1.0", "round robin", "bursts")]
    summary = LockedSummary(100, 3)
    StreamCrew(summary, streams, query_every=3_000).run()
    check(summary.snapshot(), exact(*streams), 1 / 100, most=100)
    assert summary.snapshot()[1].sum() == 30_000

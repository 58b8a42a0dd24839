"""A stream that takes long to arrive is announced; one that nobody could wait for is refused before it begins."""

from __future__ import annotations

import pytest

import streambench
from streambench.errors import OptionError
from streambench.execution import arrivals
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.5, "0.5 seconds"), (80, "80 seconds"), (150, "2.5 minutes"), (7200, "2 hours"), (6.911e12, "219,000 years")],
)
def test_spans_in_words(seconds: float, words: str) -> None:
    assert arrivals.span(seconds) == words


@pytest.mark.parametrize("engine", ["serial", "ordered"])
def test_a_rate_at_which_nobody_could_wait_is_refused_with_the_time_it_would_take(engine: str) -> None:
    pipeline = streambench.Pipeline([TableSource([range(6911)], ("a",)), TableSink()])
    words = "at 1e-09 tuples per second the stream of 6,911 would take 219,000 years: choose a rate of at least 0.0027"
    with pytest.raises(OptionError, match=words):
        pipeline.run(engine=engine, rate=1e-9)
    pipeline.run(engine=engine)  # nothing was begun


def test_what_takes_longer_than_a_minute_is_told_and_nothing_else() -> None:
    assert arrivals.long_one(7, 0.001) == "at 0.001 tuples per second the stream of 7 takes 1.9 hours to arrive."
    assert arrivals.long_one(60, 1.0) is None
    assert arrivals.long_one(10**9, 0.0) is None
    arrivals.require_end(None, 1e-9)  # of unknown length: nothing can be told
    arrivals.require_end(30 * 86_400, 1.0)

"""A stream that is followed is stopped, whatever ends the following."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JNetworkError

from streambench.lab.streams.run import follow


class Interrupted:
    """A query; Ctrl-C comes while it is waited for, and then Java gives so many calls no answer."""

    def __init__(self, unanswered: int) -> None:
        self.unanswered, self.stopped = unanswered, False

    def awaitTermination(self, seconds: float) -> bool:  # noqa: N802
        raise KeyboardInterrupt

    def stop(self) -> None:
        self.unanswered -= 1
        if self.unanswered >= 0:
            raise Py4JNetworkError("Answer from Java side is empty")
        self.stopped = True


@pytest.mark.parametrize("unanswered", [0, 1])
def test_a_stream_that_is_interrupted_is_stopped_though_java_may_not_answer_at_once(unanswered: int) -> None:
    query = Interrupted(unanswered)
    with pytest.raises(KeyboardInterrupt):
        follow(query, lambda batch: None)
    assert query.stopped

"""What went wrong in a worker is told in one sentence."""

from __future__ import annotations

from streambench.streams.run import failed

WORKER = """[STREAM_FAILED] Query [id = 1] terminated with exception: Job aborted
Traceback (most recent call last):
  File "bucket.py", line 1, in advance
streambench.errors.DataError: Column ts is null.
 SQLSTATE: 39000
=== Streaming Query ===
"""


def test_the_last_error_of_a_worker_is_the_reason() -> None:
    assert str(failed(Exception(WORKER))) == "the stream stopped: Column ts is null; its checkpoint is whole."


def test_without_one_it_is_the_first_line() -> None:
    assert (
        str(failed(Exception("[X] Disk full.\nmore"))) == "the stream stopped: [X] Disk full; its checkpoint is whole."
    )

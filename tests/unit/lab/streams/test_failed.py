"""What went wrong in a worker is told in one sentence."""

from __future__ import annotations

import pytest

from streambench.lab.streams.run import failed

WORKER = """[STREAM_FAILED] Query [id = 1] terminated with exception: Job aborted
Traceback (most recent call last):
  File "bucket.py", line 1, in advance
streambench.errors.DataError: Column ts is null.
 SQLSTATE: 39000
=== Streaming Query ===
"""


def test_the_error_of_a_worker_is_the_reason() -> None:
    assert str(failed(Exception(WORKER))) == "the stream stopped, its checkpoint is whole: Column ts is null."


def test_executors_without_the_package_are_told_how_to_get_it() -> None:
    said = str(failed(Exception("Job aborted\nModuleNotFoundError: No module named 'streambench'\n")))
    assert said.startswith("the stream stopped, its checkpoint is whole: the executors' Python has no streambench: ")


@pytest.mark.parametrize(
    "said",
    [
        "[FAILED_READ_FILE.FILE_NOT_EXIST] Error while reading file file:///a b/c.parquet. File does not exist.",
        "java.io.FileNotFoundException: File file:/a b/c.parquet does not exist",
        "FileNotFoundError: [Errno 2] No such file or directory: '/a b/c.parquet'",
    ],
)
def test_a_file_that_an_executor_does_not_see_is_named(said: str) -> None:
    found = str(failed(Exception(f"Job aborted\n{said} It is possible\n")))
    assert found.startswith(
        "the stream stopped, its checkpoint is whole: an executor does not see /a b/c.parquet: put "
    )


def test_without_one_it_is_the_first_line() -> None:
    assert (
        str(failed(Exception("[X] Disk full.\nmore"))) == "the stream stopped: [X] Disk full; its checkpoint is whole."
    )

"""Output whose reader has gone is dropped: the command goes on, and its exit code is its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

import pytest

from streambench.lab.cli.report_files import ReportFiles
from streambench.lab.show.console import LastingConsole
from streambench.lab.show.output import STDOUT


@pytest.fixture
def nobody() -> Iterator[IO[str]]:
    """A stream that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:  # what lies in its buffer is written when it is closed
        yield stream


def test_a_console_without_a_reader_goes_on(nobody: IO[str]) -> None:
    console = LastingConsole(file=nobody)
    for _ in range(2):
        console.print("nobody reads this")


@pytest.mark.parametrize("json_to_stdout", [False, True])
def test_a_report_that_nobody_reads_is_written(
    nobody: IO[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, json_to_stdout: bool
) -> None:
    monkeypatch.setattr("sys.stdout", nobody)
    markdown = tmp_path / "a.md"
    ReportFiles(STDOUT if json_to_stdout else None, markdown).give("shown", 80, lambda: "{}", lambda: "written")
    assert markdown.read_text() == "written"


def test_a_full_standard_output_takes_no_file_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full").open("w")  # noqa: SIM115
    monkeypatch.setattr("sys.stdout", full)
    with pytest.raises(OSError, match="No space"):
        ReportFiles(None, tmp_path / "a.md").give("shown", 80, lambda: "{}", lambda: "written")
    with suppress(OSError):
        full.close()
    assert (tmp_path / "a.md").read_text() == "written"

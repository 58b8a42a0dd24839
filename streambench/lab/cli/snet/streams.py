"""The records that `snet run` and `snet draw` read and write: files or standard streams, XML or JSON lines."""

from __future__ import annotations

import codecs
import io
import select
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, cast

from streambench.errors import DataError, OptionError
from streambench.lab.cli.flags import Flag, flag
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.show.output import STDOUT
from streambench.snet import json_lines, xml_stream
from streambench.snet.errors import unreadable
from streambench.user_code import imported

LOOK_AGAIN = 0.1  # seconds, after which a reader that waits looks whether it is still wanted
JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")

Records = Iterable[Mapping[str, Any]]


def records_option(help: str, default: Path | None = None) -> Flag:
    """The option -i, which names the records."""
    place = LocalPath(path_type=Path, allow_dash=True)
    return flag("-i", "--input", type=place, default=default, show_default=False, metavar="FILE|-", help=help)


def output_option(help: str) -> Flag:
    """The option -o, which says where the output goes."""
    place, text = LocalPath(path_type=Path, allow_dash=True), f"{help}  [default: standard output]"
    return flag("-o", "--output", type=place, default=STDOUT, show_default=False, metavar="FILE|-", help=text)


boxes_option = flag(
    "--boxes",
    callback=lambda context, parameter, name: None if name is None else imported(name),
    metavar="MODULE",
    help="The Python module with a function for each box.",
)
"""It becomes a module. Raises OptionError."""


def check_workers(workers: int | None, runtime: str) -> None:
    """Raises OptionError for a number of workers that the runtime does not take."""
    if workers is not None and runtime != "front":
        raise OptionError(f"--workers belongs to FRONT: leave it out with --runtime {runtime}.")


class _Reader(io.RawIOBase):
    """Reads a file that may have nothing to give for long, in whatever thread, until it is stopped: that is its end."""

    def __init__(self, file: io.RawIOBase) -> None:
        self._file = file
        self._may_wait = _is_open_file(file)
        self._stopped = False
        self._busy = threading.Lock()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Raises what reading raises."""
        while True:
            with self._busy:
                if self._stopped:
                    return 0
                if not self._may_wait or select.select([self._file], [], [], LOOK_AGAIN)[0]:
                    return self._file.readinto(buffer) or 0

    def stop(self) -> None:
        """From now on there is nothing to read; returns when nobody reads any more."""
        self._stopped = True
        with self._busy:
            pass


def _is_open_file(file: io.RawIOBase) -> bool:
    try:
        file.fileno()
    except io.UnsupportedOperation:  # something in memory
        return False
    return True


@contextmanager
def opened(path: Path) -> Iterator[tuple[Iterator[dict[str, Any]], bool]]:
    """The records of a file, or of standard input (``-``), and whether they are XML; else they are JSON lines.

    They may be read in another thread, which is then let go at the end, even if there is nothing to read for long.
    Raises DataError for a file that cannot be read.
    """
    with ExitStack() as stack:
        try:
            raw: Any = (
                cast(BufferedReader, sys.stdin.buffer).raw
                if path == STDOUT
                else stack.enter_context(path.open("rb", buffering=0))
            )
        except OSError as problem:
            raise unreadable(path, problem, "the records by --input") from None
        reader = _Reader(raw)
        stack.callback(reader.stop)
        yield _records(io.BufferedReader(reader), "standard input" if path == STDOUT else str(path))


def is_xml(path: Path, like: bool) -> bool:
    """Whether an output is to be XML: by its suffix, else ``like`` the input."""
    return path.suffix == ".xml" or (like and path.suffix not in JSON_SUFFIXES)


def write(records: Records, file: IO[bytes], *, xml: bool, binary: bool) -> None:
    """Write the records."""
    if xml:
        xml_stream.write(records, file, binary=binary)
    else:
        json_lines.write(records, file)


def _records(file: BufferedReader, name: str) -> tuple[Iterator[dict[str, Any]], bool]:
    while (head := file.peek(1)) and not head.strip():
        file.read(len(head))
    encoding = xml_stream.encoding_of_head(head)
    begins = head if encoding is None else head.decode(encoding, "ignore").encode()
    xml = begins.lstrip().removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<")
    if encoding is not None and not xml:
        raise DataError(f"{name} is text in {encoding.upper()}: JSON lines are UTF-8.")
    return (xml_stream.read(file, name) if xml else json_lines.read(file, name)), xml

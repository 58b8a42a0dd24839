"""The records that `snet run` and `snet draw` read and write: files or standard streams, XML or JSON lines."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from types import ModuleType
from typing import IO, Any, cast

import click

from streambench.show.output import STDOUT
from streambench.snet import json_lines, xml_stream
from streambench.user_code import imported

JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")

Records = Iterable[Mapping[str, Any]]


def box_module(ctx: click.Context, param: click.Parameter, name: str | None) -> ModuleType | None:
    """The callback of --boxes: the module, imported; the current folder is on the path. Raises OptionError."""
    return None if name is None else imported(name)


@contextmanager
def opened(path: Path) -> Iterator[tuple[Iterator[dict[str, Any]], bool]]:
    """The records of a file, or of standard input (``-``), and whether they are XML; else they are JSON lines."""
    if path == STDOUT:
        yield _records(cast(BufferedReader, sys.stdin.buffer), "standard input")
        return
    with path.open("rb") as file:
        yield _records(file, str(path))


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
    xml = head.lstrip().startswith((b"<", codecs.BOM_UTF8))
    return (xml_stream.read(file, name) if xml else json_lines.read(file, name)), xml

"""The output files of a command: all of them appear, whole, or none does."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from streambench.errors import OptionError, StreambenchError
from streambench.lab.atomic_file import Writer, draft, fill, probe
from streambench.lab.data.catalog import MANIFEST, Catalog
from streambench.lab.data.loader import REPLAY_ORDER

STDOUT = Path("-")
PROBE_BYTES = 4096


def parquet(table: pa.Table) -> Writer:
    """What writes ``table`` as Parquet."""
    return lambda file: pq.write_table(table, file)


def json_text(content: Any) -> str:
    """``content`` as JSON for a reader and a program; numbers that are not finite are refused with ValueError."""
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def as_text(text: str) -> Writer:
    """What writes the text."""

    def write(file: IO[bytes]) -> None:
        file.write(text.encode())

    return write


def as_json(content: Any) -> Writer:
    """What writes ``content`` as JSON."""
    return lambda file: file.write(json_text(content).encode())


def check_places(places: Mapping[str, Path], data: Catalog | None = None) -> None:
    """Raise StreambenchError for a place that cannot be written to, as far as can be seen before a long run.

    OptionError where the options alone are wrong, whatever is on the disk. ``places``: a file by the option that names
    it. ``data``: a data directory whose tables must not be overwritten.
    """
    seen: dict[Path, str] = {}
    for option, path in places.items():
        if path == STDOUT:
            raise OptionError(f"{option} cannot be written to standard output: name a file.")
        target = path.resolve()
        if target in seen:
            raise OptionError(f"{seen[target]} and {option} name the same file {path}: give each its own.")
        seen[target] = option
        if target.is_dir():
            raise StreambenchError(f"{option} {path} is a directory: name the file to write in it.")
        if target.exists() and not target.is_file():
            raise StreambenchError(f"{option} {path} is not a regular file: name a file that may be replaced.")
        if data is not None and _is_data(target, data.path.resolve()):
            raise StreambenchError(f"{option} {path} lies among the tables of {data.path}: choose another place.")
        _probe(option, path, target)


def write_all(writers: Mapping[Path, Writer]) -> None:
    """Write every file, then rename all into place; if one cannot be written, none appears.

    Raises StreambenchError that names the file. Existing files are replaced.
    """
    with ExitStack() as drafts:
        written = {}
        for path, write in writers.items():
            target = path.resolve()  # a link keeps pointing to its file
            written[target] = drafts.enter_context(draft(target.parent))
            try:
                fill(written[target], write)
            except (OSError, pa.ArrowException) as problem:
                raise _cannot_write(path, problem) from problem
        for target, beside in written.items():
            try:
                beside.replace(target)
            except OSError as problem:
                raise _cannot_write(target, problem) from problem


def _is_data(target: Path, data: Path) -> bool:
    if not target.is_relative_to(data):
        return False
    inside = target.relative_to(data)
    tables = {f"{name}.parquet" for name in (*REPLAY_ORDER, "item", "web_page", "date_dim", "ads")}
    return len(inside.parts) > 1 or inside.name in tables or inside.name == MANIFEST


def _probe(option: str, path: Path, target: Path) -> None:
    folder = target.parent
    if not folder.is_dir():
        raise StreambenchError(f"{option} {path} has no folder {folder} to be written to: make the folder first.")
    try:
        probe(folder, PROBE_BYTES)
    except OSError as problem:
        raise StreambenchError(
            f"{option} {path} cannot be written ({_reason(problem)}): make room, or choose another place."
        ) from problem


def _cannot_write(path: Path, problem: BaseException) -> StreambenchError:
    return StreambenchError(
        f"{path} cannot be written ({_reason(problem)}): make room, or choose another place; no output was kept."
    )


def _reason(problem: BaseException) -> str:
    if isinstance(problem, OSError) and problem.errno:
        return os.strerror(problem.errno)
    return (str(problem).splitlines() or [type(problem).__name__])[0]

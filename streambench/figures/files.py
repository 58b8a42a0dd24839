"""How a figure reaches the disk: the same input gives the same bytes, and no half-written file is left."""

from __future__ import annotations

import contextlib
import csv
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from streambench.errors import StreambenchError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A hash salt and no date: else every SVG differs from the last. Text stays text, so that it can be searched.
SVG: dict[Any, Any] = {"svg.hashsalt": "streambench", "svg.fonttype": "none"}


def save(figure: Figure, out: Path, name: str) -> list[Path]:
    """Write <out>/<name>.png and .svg. Raises StreambenchError where that fails."""
    import matplotlib

    written = []
    with matplotlib.rc_context(SVG):
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            with replacing(out / f"{name}.{kind}") as file:
                figure.savefig(file, format=kind, dpi=200, metadata=metadata)
            written.append(out / f"{name}.{kind}")
    return written


def save_rows(rows: Sequence[Mapping[str, Any]], out: Path, name: str) -> Path:
    """Write the data behind a figure to <out>/<name>.csv. Raises StreambenchError where that fails."""
    path = out / f"{name}.csv"
    with replacing(path) as file:
        file.write(csv_text(rows).encode())
    return path


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Records of the same fields as CSV, with a header; blank where a value is None."""
    text = [list(rows[0])] if rows else []
    text += [["" if value is None else value for value in row.values()] for row in rows]
    lines: list[str] = []
    csv.writer(_Lines(lines), lineterminator="\n").writerows(text)
    return "".join(lines)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that takes the path's place when all is written, and goes when not."""
    scratch = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, scratch = tempfile.mkstemp(prefix=".writing-", dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            yield file
        Path(scratch).chmod(0o644)  # mkstemp gives 0600
        Path(scratch).replace(path)
        scratch = ""
    except OSError as error:
        raise StreambenchError(
            f"{path} cannot be written: {error.strerror or error}; make room or choose another folder with --out"
        ) from error
    finally:
        if scratch:
            with contextlib.suppress(OSError):
                Path(scratch).unlink()


class _Lines:
    """What csv.writer needs of a file."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def write(self, text: str) -> None:
        self.lines.append(text)

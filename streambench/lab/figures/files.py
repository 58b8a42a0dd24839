"""How a figure reaches the disk: the same input gives the same bytes, and no half-written file is left."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streambench.errors import StreambenchError
from streambench.lab import atomic_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A hash salt and no date: else every SVG differs from the last. Text stays text, so that it can be searched.
SVG: dict[Any, Any] = {"svg.hashsalt": "streambench", "svg.fonttype": "none"}


@dataclass(frozen=True)
class Picture:
    """A figure to write: the ``stem`` of its files, how it is drawn, and the rows behind it."""

    stem: str
    draw: Callable[[], Figure]
    rows: Sequence[Mapping[str, Any]]

    def write(self, out: Path) -> list[Path]:
        """Write <stem>.png, .svg and .csv. Raises StreambenchError where that fails."""
        return [*save(self.draw(), out, self.stem), save_rows(self.rows, out, self.stem)]


def write_section(
    out: Path, name: str, section: str, rows: Sequence[Mapping[str, Any]], draw: Callable[[], Figure]
) -> list[Path]:
    """Write what a section of perf shows. Raises StreambenchError where the result was measured without it."""
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    if not rows:
        raise StreambenchError(f"there is nothing to draw: the result was measured without the section `{section}`")
    return Picture(name, draw, rows).write(out)


def save(figure: Figure, out: Path, name: str) -> list[Path]:
    """Write <out>/<name>.png and .svg. Raises StreambenchError where that fails."""
    import matplotlib

    written = []
    with matplotlib.rc_context(SVG):
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            path = out / f"{name}.{kind}"
            _write(path, partial(figure.savefig, format=kind, dpi=200, metadata=metadata))
            written.append(path)
    return written


def save_rows(rows: Sequence[Mapping[str, Any]], out: Path, name: str) -> Path:
    """Write the data behind a figure to <out>/<name>.csv. Raises StreambenchError where that fails."""
    path = out / f"{name}.csv"
    _write(path, csv_text(rows).encode())
    return path


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Records of the same fields as CSV, with a header; blank where a value is None."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([list(row) for row in rows[:1]])
    writer.writerows([["" if value is None else value for value in row.values()] for row in rows])
    return text.getvalue()


def _write(path: Path, content: bytes | atomic_file.Writer) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_file.replace(path, content)
    except OSError as error:
        raise StreambenchError(
            f"{path} cannot be written: {error.strerror or error}; make room or choose another folder with --out"
        ) from error

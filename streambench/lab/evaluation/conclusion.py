"""What an evaluation leaves to look at: figures of each result, the paper's claims, and all of it as one page."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from streambench.errors import StreambenchError
from streambench.lab import figures
from streambench.lab.claims import judge
from streambench.lab.claims.table import Side, markdown
from streambench.lab.figures.selection import KIND
from streambench.lab.record import results
from streambench.lab.record.result_files import result_files
from streambench.lab.report.named_document import read
from streambench.lab.report.page import page
from streambench.lab.show.output import as_text, write_all

Say = Callable[[str], None]


def conclude(out: Path, say: Say) -> list[Path]:
    """Draw the figures into `figures/`, judge the claims in `claims.md`, make `report.html`, all in ``out``; returns
    what is there. What cannot be made is said, and the rest is made all the same.
    """
    paths = sorted((out / "results").glob("*.json"))
    made: list[Path] = []
    shutil.rmtree(out / "figures", ignore_errors=True)

    def attempt(what: str, make: Callable[[], list[Path]]) -> None:
        say(f"{what} …")
        try:
            made.extend(make())
        except (StreambenchError, OSError) as problem:
            say(f"{what} cannot be made: {problem}")

    for path in paths:
        attempt(f"figures of {path.name}", lambda path=path: _figures(path, out))  # type: ignore[misc]
    attempt("the paper's claims", lambda: _claims(paths, out))
    attempt("the report", lambda: _report(paths, out))
    return made


def _figures(path: Path, out: Path) -> list[Path]:
    document = results.read(path)
    if document["kind"] not in figures.KINDS:
        return []
    return figures.draw(document, out / "figures" / path.stem, (), lambda note: None)


def _claims(paths: list[Path], out: Path) -> list[Path]:
    """By the newest sweep of the paper's schemes."""
    for path in reversed(paths):
        document = results.read(path)
        if document["kind"] != KIND:
            continue
        try:
            here = Side(document, *judge(document, None))
        except StreambenchError:  # of another engine: no claim is about it
            continue
        write_all({out / "claims.md": as_text(markdown(here, None))})
        return [out / "claims.md"]
    return []


def _report(paths: list[Path], out: Path) -> list[Path]:
    if not paths:
        return []
    found = read(result_files([str(path) for path in paths]))
    write_all({out / "report.html": as_text(page(found))})
    return [out / "report.html"]

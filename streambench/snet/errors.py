"""What is wrong with an S-NET program or a run of it, with the file and line where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from streambench.errors import DataError, StreambenchError


@dataclass(frozen=True)
class Place:
    """A line of a source file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


NOWHERE = Place("<made>", 0)
"""The place of syntax that nobody wrote."""


class SnetError(StreambenchError):
    """One sentence, after the file and line of the construct that it is about."""

    def __init__(self, place: Place, sentence: str) -> None:
        super().__init__(f"{place}: {sentence}")
        self.place = place


def unreadable(path: Path, problem: OSError, wanted: str) -> DataError:
    """What is said of a file that cannot be read, where ``wanted`` was to be."""
    return DataError(f"{problem.strerror or problem} ({path}): name {wanted}.")

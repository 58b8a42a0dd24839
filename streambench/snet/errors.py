"""What is wrong with an S-NET program or a run of it, with the file and line where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from streambench.errors import DataError, StreambenchError
from streambench.user_code import MOST_SHOWN


@dataclass(frozen=True)
class Place:
    """A line of a source file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


_LONG_WORD = re.compile(rf"\S{{{MOST_SHOWN + 1},}}")
NOWHERE = Place("<made>", 0)
"""The place of syntax that nobody wrote."""


class SnetError(StreambenchError):
    """One sentence, after the file and line of the construct that it is about."""

    def __init__(self, place: Place, sentence: str) -> None:
        super().__init__(f"{place}: {brief(sentence)}")
        self.place = place


def brief(sentence: str) -> str:
    """The sentence with its words cut where they are too long to be read: names and numbers of the user's."""
    return _LONG_WORD.sub(lambda word: f"{word[0][:MOST_SHOWN]}[...]", sentence)


def unreadable(path: Path, problem: OSError, remedy: str) -> DataError:
    """What is said of a file that cannot be read. ``remedy``: what to name instead."""
    return DataError(f"{problem.strerror or problem} ({path}): name {remedy}.")

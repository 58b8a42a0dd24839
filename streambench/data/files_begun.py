"""What a run has read of its source when it is saved, and whether the source still has that when it goes on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from streambench.errors import DataError

FilesBegun: TypeAlias = Sequence[tuple[str, int]]
"""The names of files, each with its rows."""


def require_rows(taken: int, there: int) -> None:
    """Raise DataError where a run has read more rows than the source has."""
    if taken > there:
        raise DataError(
            f"the run has read {taken:,} rows, and the source has {there:,}: give it the same data, or name an empty "
            "folder by checkpoint=."
        )


def require_begun(then: FilesBegun, now: FilesBegun) -> None:
    """Raise DataError where other files are in the place of those that a run has read."""
    for was, is_now in zip_longest(then, now):
        if was != is_now:
            raise DataError(
                f"the run has read {then[-1][0] if was is None else was[0]}, and the source now has "
                f"{'no such file' if is_now is None else f'{is_now[0]} with {is_now[1]:,} rows'} in its place: "
                "put its files back, or name an empty folder by checkpoint=."
            )


def saved_files(files: FilesBegun) -> npt.NDArray[np.uint8]:
    """As bytes, for a checkpoint."""
    return np.frombuffer(json.dumps(files).encode(), np.uint8)


def loaded_files(saved: npt.NDArray[np.uint8]) -> FilesBegun:
    """What ``saved_files`` gave."""
    return [(name, rows) for name, rows in json.loads(saved.tobytes())]

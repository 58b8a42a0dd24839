"""The output of a join, made and written slice by slice: it may be larger than memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from streambench.joins.matches import Matches
from streambench.lab.data.arrow_digest import ArrowDigest

SLICE_ROWS = 1 << 18


class JoinOutput:
    """``progress`` is called with the pairs that are done. ``digest`` is there after ``write`` or ``pass_by``."""

    def __init__(self, matches: Matches, progress: Callable[[int], object]) -> None:
        self.digest = ""
        self._matches = matches
        self._progress = progress

    def write(self, file: IO[bytes]) -> None:
        """Write the pairs as Parquet, a row group for each slice."""
        with pq.ParquetWriter(file, self._matches.table(0, 0).schema) as writer:
            self._each(writer.write_table)

    def pass_by(self) -> None:
        """Digest the pairs only."""
        self._each(lambda part: None)

    def _each(self, take: Callable[[pa.Table], object]) -> None:
        digest, done = ArrowDigest(self._matches.table(0, 0).schema), 0
        for part in self._matches.slices(SLICE_ROWS):
            take(part)
            digest.add(part)
            done += len(part)
            self._progress(done)
        self.digest = digest.text()

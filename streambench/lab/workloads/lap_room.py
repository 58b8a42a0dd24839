"""How many laps of a stream fit: each moves its dates and renumbers its tickets and orders, and nothing may wrap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streambench.errors import DataError, OptionError
from streambench.lab.data.loader import Stream
from streambench.pyx.tuples.table_source import most_laps
from streambench.queries.query import Query


@dataclass(frozen=True)
class LapRoom:
    """``laps`` fit and no more; ``reason``: what each lap adds to which column."""

    laps: int
    reason: str

    def require(self, laps: int) -> None:
        """Raise OptionError, in one sentence, where so many laps do not fit; DataError where not even one does."""
        if self.laps == 0:
            raise DataError(f"the stream does not fit: {self.reason}; correct its values.")
        if laps > self.laps:
            fit = "1 does" if self.laps == 1 else f"{self.laps:,} do"
            raise OptionError(f"{laps:,} laps do not fit, {fit}: {self.reason}.")

    def warning(self, name: str, laps: int) -> str | None:
        """What to say of runs that should have had so many laps, None where they fit."""
        if laps <= self.laps:
            return None
        return f"{name}: runs are shorter than asked for, {self.laps:,} laps instead of {laps:,}: {self.reason}"


def lap_room(query: Query, stream: Stream) -> LapRoom:
    """The laps of a loaded stream that fit before a value of a column passes 2**63, or before the operators have to."""
    if query.join is not None:
        return LapRoom(1, f"the streams that {query.name} joins do not come again")
    rooms = [
        LapRoom(
            most_laps(values, shift, np.int64),
            f"column {name} rises by {shift:,} with each lap and must stay below 2**63",
        )
        for name, values, shift in zip(stream.names, stream.columns, stream.lap_shift, strict=True)
    ]
    if query.most_laps is not None:
        rooms.append(LapRoom(*query.most_laps(stream)))
    return min(rooms, key=lambda room: room.laps)

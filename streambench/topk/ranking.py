"""Items by how often they have occurred, the most frequent first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa


class TopItem(NamedTuple):
    """``item`` has occurred from ``lower`` to ``upper`` times; ``guaranteed``: whether it surely belongs into its
    ranking.
    """

    item: object
    estimate: int
    lower: int
    upper: int
    guaranteed: bool


@dataclass(frozen=True)
class Ranking:
    """Rows by ``estimate``, highest first. ``complete``: whether no item can be missing that belongs here."""

    items: pa.Array
    estimate: npt.NDArray[np.int64]
    lower: npt.NDArray[np.int64]
    upper: npt.NDArray[np.int64]
    guaranteed: npt.NDArray[np.bool_]
    complete: bool

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[TopItem]:
        columns = (self.estimate.tolist(), self.lower.tolist(), self.upper.tolist(), self.guaranteed.tolist())
        return (TopItem(*row) for row in zip(self.items.to_pylist(), *columns, strict=True))

    def to_table(self) -> pa.Table:
        """The columns item, estimate, lower, upper (int64) and guaranteed (bool)."""
        return pa.table(
            {
                "item": self.items,
                "estimate": self.estimate,
                "lower": self.lower,
                "upper": self.upper,
                "guaranteed": self.guaranteed,
            }
        )

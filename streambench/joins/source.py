"""A join at the head of a pipeline, over Arrow data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from streambench.data.held_columns import HeldColumns
from streambench.errors import OptionError
from streambench.joins.join import sides_of
from streambench.joins.matches import definition_of, names_of
from streambench.joins.side import JoinData
from streambench.pyx.join.join_source import JoinSource
from streambench.pyx.join.predicate import Predicate
from streambench.pyx.tuples.data_types import Band, Nulls, Value
from streambench.pyx.tuples.span import Span


class ArrowJoinSource(JoinSource):
    """A source whose tuples are the rows of ``streambench.join(left, right, ...)``, found while the pipeline runs.

    ``left``, ``right``, ``window``, ``time``, ``bands``, ``equal``, ``rule``, ``tier``, ``predicate`` and ``slack`` are
    those of ``join``. ``columns``: which of the pairs' columns are emitted after the time, by their names there; None:
    all. They have the types that they have in an ``ArrowSource``: texts are int32 codes (see ``dictionaries``), times
    integers of their unit; the pairs' time is int64. ``nulls``: as for an ``ArrowSource``, by the names of the pairs'
    columns. The join is part of the run: nothing is matched before, and a further run begins anew.

    Raises DataError for data that do not fit, OptionError for options that do not.
    """

    def __init__(
        self,
        left: JoinData,
        right: JoinData,
        *,
        window: Span,
        time: str | tuple[str, str] = "ts",
        bands: Iterable[Band] = (),
        equal: Iterable[Sequence[str]] = (),
        rule: str = "exact",
        tier: str = "auto",
        predicate: Predicate | None = None,
        slack: Span = 0,
        columns: Sequence[str] | None = None,
        nulls: Nulls = None,
    ) -> None:
        sides = sides_of(left, right, time, slack)
        definition, tier, _ = definition_of(sides, window, bands, equal, rule, tier, predicate)
        ours, theirs = _chosen(names_of(sides), columns)
        arrays = {
            name: side.ordered(own)
            for side, named in zip(sides, (ours, theirs), strict=True)
            for name, own in named.items()
        }
        self.held_columns = HeldColumns(pa.schema([(name, each.type) for name, each in arrays.items()]), nulls)
        held = dict(zip(arrays, self.held_columns.values(list(arrays.values()), 0), strict=True))
        chosen = [{name: held[name] for name in each} for each in (ours, theirs)]
        try:
            super().__init__(definition, chosen[0], chosen[1], tier, sides[0].time)
        except ValueError as problem:
            raise OptionError(f"{problem}.") from None

    @property
    def dictionaries(self) -> dict[str, pa.Array]:
        """The values by their codes, for each column of texts."""
        return self.held_columns.dictionaries

    def code(self, column: str, value: Value) -> int:
        """The code that stands for a value of a column of texts; see ``ArrowSource.code``."""
        return self.held_columns.code(column, value)

    def restore(self, table: pa.Table, names: Mapping[str, str] | None = None) -> pa.Table:
        """A pipeline's output with the sides' columns as they were in the data; see ``ArrowSource.restore``."""
        return self.held_columns.restore(table, names)


def _chosen(named: list[dict[str, str]], columns: Sequence[str] | None) -> list[dict[str, str]]:
    there = [name for each in named for name in each]
    if isinstance(columns, str) or not isinstance(columns, Iterable | None):
        raise OptionError(f"columns= lists names of columns, and {columns!r} is no list.")
    for name in columns or ():
        if name not in there:
            raise OptionError(
                f"the pairs have no column {name!r}; beside the time they have {', '.join(there) or 'no columns'}."
            )
    return [{name: own for name, own in each.items() if columns is None or name in columns} for each in named]

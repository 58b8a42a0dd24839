"""What the runtime holds of Arrow columns, and how a pipeline's output becomes such columns again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streambench.data.arrow_column import TextColumn, column_of, has_codes, held_type
from streambench.errors import DataError, OptionError
from streambench.pyx.tuples.arrow_columns import numpy_type
from streambench.pyx.tuples.sentinels import sentinels


class HeldColumns:
    """The columns of ``schema``; ``nulls`` as for an ``ArrowSource``.

    Raises DataError for types that no column can have, OptionError for ``nulls`` that do not fit.
    """

    def __init__(self, schema: pa.Schema, nulls: Any = None) -> None:
        held = {field.name: held_type(field) for field in schema}
        try:
            stated = sentinels(nulls, held)
            self.types: list[np.dtype[Any]] = [numpy_type(each) for each in held.values()]
        except ValueError as problem:
            raise OptionError(f"{problem}.") from None
        except TypeError as problem:
            raise DataError(f"{problem}.") from None
        if not isinstance(nulls, Mapping):  # one for all is not meant for texts
            stated = {name: each for name, each in stated.items() if not has_codes(schema.field(name).type)}
        self._columns = [column_of(field, stated.get(field.name)) for field in schema]

    @property
    def dictionaries(self) -> dict[str, pa.Array]:
        """The values by their codes, for each column of texts: as far as they have been read."""
        return {each.name: each.dictionary for each in self._columns if isinstance(each, TextColumn)}

    def values(self, arrays: Sequence[pa.Array], first_row: int) -> tuple[npt.NDArray[Any], ...]:
        """What the runtime holds for these rows, the stream's from ``first_row`` on. Raises DataError for nulls or
        sentinels that nobody has stated."""
        return tuple(each.values(array, first_row) for each, array in zip(self._columns, arrays, strict=True))

    def restore(self, table: pa.Table, names: Mapping[str, str] | None = None) -> pa.Table:
        """A pipeline's output with these columns as they were; see ``ArrowSource.restore``."""
        names = names or {}
        columns = {each.name: each for each in self._columns}
        for ours, theirs in names.items():
            if ours not in table.column_names or theirs not in columns:
                where = "table" if ours not in table.column_names else "source"
                raise OptionError(f"names= calls {ours} the source's {theirs}, but the {where} has no such column.")
            if table.schema.field(ours).type != columns[theirs].held:
                raise OptionError(
                    f"names= calls {ours}, {table.schema.field(ours).type}, the source's {theirs}, which is "
                    f"{columns[theirs].held} in the runtime."
                )
        restored = []
        for name, column in zip(table.column_names, table.columns, strict=True):
            of = columns.get(names.get(name, name))
            if of is not None and column.type == of.held:
                arrays = column.chunks or [pa.array([], of.held)]
                column = pa.chunked_array([of.restored(each) for each in arrays])
            restored.append(column)
        return pa.table(restored, names=table.column_names)

"""What the runtime holds of Arrow columns, and how a pipeline's output becomes such columns again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as is_

from streambench.data.arrow_column import ArrowColumn, EncodedTexts, TextColumn, has_codes, held_type
from streambench.data.decimal_column import DecimalColumn
from streambench.data.saved_texts import SavedTexts, texts_of
from streambench.errors import DataError, OptionError
from streambench.pyx.tuples.arrow_columns import numpy_type
from streambench.pyx.tuples.data_types import Column, Nulls, State, Value
from streambench.pyx.tuples.meaning import Meaning
from streambench.pyx.tuples.sentinels import sentinels
from streambench.pyx.tuples.text_codes import NO_TEXT, TextCodes


class HeldColumns:
    """The columns of ``schema``; ``nulls`` as for an ``ArrowSource``. All columns of texts share ``codes``.

    So the codes of two columns are equal where the texts are. Raises DataError for types that no column can have,
    OptionError for ``nulls`` that do not fit.
    """

    def __init__(self, schema: pa.Schema, nulls: Nulls = None) -> None:
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
        self.codes = TextCodes()
        self._saved_codes = SavedTexts(self.codes)
        self._columns = [column_of(field, stated.get(field.name), self.codes) for field in schema]
        self._texts = [(k, each) for k, each in enumerate(self._columns) if isinstance(each, TextColumn)]

    @classmethod
    def of(cls, meanings: Mapping[str, Meaning], wide: str | None = None) -> HeldColumns:
        """Columns of these meanings, with codes of their own; the one called ``wide`` is held as int64."""
        held = cls(pa.schema([]))
        held._columns = [
            column_of(pa.field(name, each.type), each.null, held.codes)
            if name != wide
            else ArrowColumn(pa.field(name, each.type), pa.int64(), None)
            for name, each in meanings.items()
        ]
        return held

    @property
    def meanings(self) -> dict[str, Meaning]:
        """What values of each column mean to other sources."""
        return {each.name: each.meaning for each in self._columns}

    @property
    def dictionaries(self) -> dict[str, pa.Array]:
        """The values by their codes, for each column of texts: as far as they have been read."""
        return {each.name: each.dictionary for each in self._columns if isinstance(each, TextColumn)}

    def code(self, column: str, value: Value) -> int:
        """The code of a column's value; see ``ArrowSource.code``."""
        found = next((each for _, each in self._texts if each.name == column), None)
        if found is None:
            names = ", ".join(each.name for _, each in self._texts) or "none"
            raise OptionError(f"the source has no column {column!r} of texts; those that it has are {names}.")
        return found.code(value)

    def save(self) -> State:
        """The texts by their codes, for ``load``."""
        return self._saved_codes.arrays()

    def load(self, saved: State) -> None:
        """Give the texts the codes that they had. Raises DataError where others have these already."""
        values = texts_of(saved)
        if self.codes.of(values) != list(range(len(values))):
            raise DataError(
                "the run had other codes for its texts: give the source the same dictionaries=, or name an empty "
                "folder by checkpoint=."
            )

    def values(self, arrays: Sequence[pa.Array], first_row: int) -> tuple[Column, ...]:
        """What the runtime holds for these rows, the stream's from ``first_row`` on. Raises DataError for nulls or
        sentinels that nobody has stated."""
        encoded = {k: column.encoded(arrays[k]) for k, column in self._texts}
        if len(encoded) > 1:
            self._number(encoded)
        return tuple(
            each.codes_of(encoded[k]) if isinstance(each, TextColumn) else each.values(array, first_row)
            for k, (each, array) in enumerate(zip(self._columns, arrays, strict=True))
        )

    def _number(self, encoded: Mapping[int, EncodedTexts]) -> None:
        """Give new texts their codes row by row, so that they do not depend on how the stream is cut."""
        new = [(row, k, text) for k, each in encoded.items() for row, text in each.appearing(self.codes)]
        self.codes.of(text for _, _, text in sorted(new, key=lambda each: each[:2]))

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


def column_of(field: pa.Field, sentinel: pa.Scalar | None, codes: TextCodes) -> ArrowColumn:
    """The column, of a type that ``held_type`` knows; ``codes`` are those of texts. Raises OptionError for texts whose
    null is not to be -1."""
    if not has_codes(field.type):
        kind = DecimalColumn if is_.is_decimal(field.type) else ArrowColumn
        return kind(field, held_type(field), sentinel)
    if sentinel is not None and sentinel.as_py() != NO_TEXT:
        raise OptionError(f"column {field.name} is held as codes, in which -1 stands for null: leave it out of nulls=.")
    return TextColumn(field, codes)

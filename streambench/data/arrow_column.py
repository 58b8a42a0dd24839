"""A column at the border: what the runtime holds for Arrow's values, and how they come back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_

from streambench.errors import DataError, OptionError
from streambench.pyx.tuples.meaning import Meaning
from streambench.pyx.tuples.sentinels import is_nan, stands_for_null, with_nulls
from streambench.pyx.tuples.text_codes import NO_TEXT, TextCodes

LARGE = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
PLAIN = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}  # dictionaries of views are hardly supported
TEXTS = (is_.is_string, is_.is_large_string, is_.is_string_view)
BYTES = (is_.is_binary, is_.is_large_binary, is_.is_binary_view)
TIMES = (is_.is_date64, is_.is_timestamp, is_.is_time64, is_.is_duration)
SHORT_TIMES = (is_.is_date32, is_.is_time32)
LISTS = (is_.is_list, is_.is_large_list, is_.is_fixed_size_list, is_.is_list_view, is_.is_large_list_view)
MOST_DIGITS = 18  # of decimals that are 64-bit integers
SAME = (is_.is_integer, is_.is_float32, is_.is_float64, is_.is_boolean, is_.is_fixed_size_binary)


class ArrowColumn:
    """A column whose values the runtime holds as they are: numbers, booleans, bytes; times as integers of their unit.

    ``held``: Arrow's type of what the runtime holds. ``sentinel``: what stands for null in it; None: it has no nulls.
    """

    def __init__(self, field: pa.Field, held: pa.DataType, sentinel: pa.Scalar | None) -> None:
        self.name = field.name
        self.type = field.type
        self.held = held
        self.sentinel = sentinel

    @property
    def meaning(self) -> Meaning:
        """What its values mean to other sources."""
        return Meaning(self.type, None, self.sentinel)

    def values(self, array: pa.Array, first_row: int) -> npt.NDArray[Any]:
        """What the runtime holds for ``array``, the stream's rows from ``first_row`` on; in Arrow's memory but for
        booleans and where nulls are filled in. Raises DataError for nulls or sentinels that nobody has stated."""
        array = array.view(self.held)
        if self.sentinel is not None and not is_nan(self.sentinel):
            self._refuse_sentinels(array, first_row)
        if array.null_count:
            if self.sentinel is None:
                row = first_row + pc.index(array.is_null(), True).as_py()
                raise DataError(
                    f"column {self.name} has a null in row {row}, counted from 0: say by nulls= which value stands for "
                    f"null in it, such as nulls={{{self.name!r}: {_example(self.held)}}}."
                )
            array = array.fill_null(self.sentinel)
        if is_.is_fixed_size_binary(self.held):
            width = self.held.byte_width
            memory = array.buffers()[1]
            return np.frombuffer(memory or b"", f"V{width}", len(array), array.offset * width if memory else 0)
        return np.asarray(array.to_numpy(zero_copy_only=not is_.is_boolean(self.held)))

    def _refuse_sentinels(self, array: pa.Array, first_row: int) -> None:
        assert self.sentinel is not None
        at = pc.index(stands_for_null(array, self.sentinel), True).as_py()
        if at >= 0:
            raise DataError(
                f"column {self.name} has {self.sentinel.as_py()!r} in row {first_row + at}, counted from 0, which is "
                "to stand for null: choose by nulls= a value that the column has not."
            )

    def restored(self, array: pa.Array) -> pa.Array:
        """What the runtime held, an array of type ``held``, as Arrow had it."""
        if self.sentinel is not None:
            array = with_nulls(array, self.sentinel)
        if self.held.bit_width != self.type.bit_width:  # the time of pairs
            array = array.cast(held_type(pa.field(self.name, self.type)))
        return array.view(self.type)


class EncodedTexts(NamedTuple):
    """``distinct`` values, and which of them each row has: their number for null."""

    distinct: list[Any]
    rows: npt.NDArray[Any]

    def appearing(self, known: TextCodes) -> list[tuple[int, Any]]:
        """The values that are not ``known``, each with the first row that has it."""
        new = [k for k, each in enumerate(self.distinct) if each not in known]
        if not new:
            return []
        first = np.empty(len(self.distinct) + 1, np.int64)
        first[self.rows[::-1]] = np.arange(len(self.rows))[::-1]  # the first row writes last
        return [(int(first[k]), self.distinct[k]) for k in new]


class TextColumn(ArrowColumn):
    """A column of texts, or others of a dictionary: the runtime holds int32 ``codes``, one for each distinct value, in
    the order in which they first appear in the stream; -1 for null."""

    def __init__(self, field: pa.Field, codes: TextCodes) -> None:
        super().__init__(field, pa.int32(), pa.scalar(NO_TEXT, pa.int32()))
        coded = field.type.value_type if is_.is_dictionary(field.type) else field.type
        self.coded = PLAIN.get(coded, coded)
        self._codes = codes
        self._dictionary = pa.array([], self.coded)  # of the first codes: it grows with them
        self._python_type = int if is_.is_integer(coded) else str if any(each(coded) for each in TEXTS) else bytes
        self._range = range(0)
        if self._python_type is int:
            limits = np.iinfo(coded.to_pandas_dtype())
            self._range = range(int(limits.min), int(limits.max) + 1)

    @property
    def meaning(self) -> Meaning:
        return Meaning(self.type, LARGE.get(self.coded, self.coded), self.sentinel)

    @property
    def dictionary(self) -> pa.Array:
        """The values by their codes; null where only columns of another type have the value."""
        known = self._dictionary
        if len(known) < len(self._codes.values):
            new = [each if self._may_have(each) else None for each in self._codes.values[len(known) :]]
            self._dictionary = known = pa.concat_arrays([known, pa.array(new, self.coded)])
        return known

    def code(self, value: Any) -> int:
        """The code of a value, which is given one if it has none. Raises OptionError for one of another type."""
        if isinstance(value, bool) or not self._may_have(value):
            raise OptionError(f"column {self.name} holds values of {self.coded}, and {value!r} is none.")
        return self._codes.of([value])[0]

    def _may_have(self, value: Any) -> bool:
        return isinstance(value, self._python_type) and (self._python_type is not int or value in self._range)

    def encoded(self, array: pa.Array) -> EncodedTexts:
        """``array``'s values, each once."""
        if is_.is_dictionary(self.type):  # of which some values may not occur, some twice, and one be null
            encoded = array.indices.dictionary_encode()
            listed = _listed(array.dictionary)
            used = encoded.dictionary.to_pylist()
            outside = next((each for each in used if not 0 <= each < len(listed)), None)
            if outside is not None:  # Arrow compares them with the dictionary only when it is asked to
                raise DataError(
                    f"column {self.name} has the code {outside}, and its dictionary {len(listed)} values: the data are "
                    "damaged, so write them again."
                )
            distinct = [listed[each] for each in used]
        else:
            encoded = array.dictionary_encode()
            distinct = _listed(encoded.dictionary)
        return EncodedTexts(distinct, encoded.indices.fill_null(len(distinct)).to_numpy())

    def codes_of(self, texts: EncodedTexts) -> npt.NDArray[Any]:
        """What the runtime holds for them."""
        codes: npt.NDArray[Any] = np.array([*self._codes.of(texts.distinct), NO_TEXT], dtype=np.int32)[texts.rows]
        return codes

    def restored(self, array: pa.Array) -> pa.Array:
        try:
            return pa.DictionaryArray.from_arrays(with_nulls(array, self.sentinel), self.dictionary)
        except (pa.ArrowException, IndexError) as problem:
            raise DataError(
                f"column {self.name} holds a code beyond the {len(self._codes.values)} of its dictionary: it is not "
                "the source's column, so call it otherwise."
            ) from problem


def held_type(field: pa.Field) -> pa.DataType:
    """Arrow's type of what the runtime holds for a column. Raises DataError for a type that it has nothing for."""
    type = field.type
    if any(each(type) for each in SAME) and type != pa.binary(0):
        return type
    if any(each(type) for each in SHORT_TIMES) or has_codes(type):
        return pa.int32()
    if any(each(type) for each in TIMES) or (is_.is_decimal(type) and type.precision <= MOST_DIGITS):
        return pa.int64()
    if any(each(type) for each in LISTS):
        raise DataError(
            f"column {field.name} is {type}, which no column of a stream can hold: unnest it, such as by DuckDB's "
            f"unnest({field.name}) or by explode of Polars and pandas, or leave it out by columns=."
        )
    raise DataError(
        f"column {field.name} is {type}, which no column of a stream can hold: cast it, such as to float64 or "
        "string, or leave it out by columns=."
    )


def has_codes(type: pa.DataType) -> bool:
    if is_.is_dictionary(type):
        type = type.value_type
        return is_.is_integer(type) or has_codes(type)
    return any(each(type) for each in (*TEXTS, *BYTES))


def _listed(values: pa.Array) -> list[Any]:
    """As Python's values; several times as fast by way of NumPy, which has no null among integers."""
    if is_.is_integer(values.type):
        return list(values.to_pylist())
    return list(values.to_numpy(zero_copy_only=False).tolist())


def _example(held: pa.DataType) -> str:
    if is_.is_floating(held):
        return "float('nan')"
    if is_.is_fixed_size_binary(held):
        return repr(bytes(held.byte_width)) if held.byte_width <= 4 else f"bytes({held.byte_width})"
    if is_.is_boolean(held):
        return "False"
    return str(2**held.bit_width - 1 if is_.is_unsigned_integer(held) else -1)

"""Records as JSON lines: an object a line, labels as S-NET spells them, ``{"<n>": 10, "a": [1.5, 2.5]}``."""

from __future__ import annotations

import codecs
import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

import numpy as np

from streambench.errors import DataError
from streambench.snet.record import check
from streambench.user_code import shown


def read(file: IO[bytes], name: str) -> Iterator[dict[str, Any]]:
    """The records, each as soon as its line is there; empty lines are skipped. Raises DataError."""
    for number, line in enumerate(file, 1):
        line = line.removeprefix(codecs.BOM_UTF8)
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_once, parse_int=_integer, parse_float=_float)
        except TwiceError as problem:
            raise DataError(f"{name}, line {number}: {problem} stands there twice.") from None
        except OverflowError as problem:
            raise DataError(f"{name}, line {number}: {problem}.") from None
        except RecursionError:
            raise DataError(f"{name}, line {number}: this is nested too deep to be read.") from None
        except ValueError:
            raise DataError(f"{name}, line {number}: this is no JSON.") from None
        if not isinstance(record, dict):
            raise DataError(f"{name}, line {number}: a record is a JSON object, by label.")
        try:
            check(record)
        except ValueError as problem:
            raise DataError(f"{name}, line {number}: {problem}.") from None
        yield record


def write(records: Iterable[Mapping[str, Any]], file: IO[bytes]) -> None:
    """Write the records; each is flushed. NumPy arrays become lists. Raises DataError for what JSON cannot hold."""
    for count, record in enumerate(records, 1):
        try:
            line = json.dumps(record, default=_plain, allow_nan=False)
        except (TypeError, ValueError) as problem:
            said = str(problem).rstrip(".")
            raise DataError(f"record {count} of the output cannot be written as JSON: {said}.") from None
        file.write(line.encode() + b"\n")
        file.flush()


class TwiceError(Exception):
    """An object has a name twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise TwiceError(next(name for place, name in enumerate(names) if name in names[:place]))
    return members


def _integer(digits: str) -> int:
    most = sys.get_int_max_str_digits()
    if 0 < most < len(digits.lstrip("-")):
        raise OverflowError(f"an integer has {len(digits):,} digits: more than {most:,} are not read")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise OverflowError(f"{shown(digits)} is too large for a number of 64 bits")
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"a field is {type(value).__name__}")

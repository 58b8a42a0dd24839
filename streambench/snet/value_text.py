"""Values of fields as the S-NET stream has them: a C type in parentheses, then numbers as text, or bytes as base64.

``(int)5``, ``(double[2])1.0,2.0``, ``(char[2])h,i``. Base64 is of the values' bytes, little-endian, after the same
type: ``(int)BQAAAA==``. Single numbers are int and float in Python, arrays are NumPy's, arrays of char are texts. A
single value of a stream keeps its C type, so that it is written as it was read.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streambench.user_code import shown

C_TYPES = {
    "char": "S1",
    "unsigned char": "<u1",
    "short": "<i2",
    "unsigned short": "<u2",
    "int": "<i4",
    "unsigned int": "<u4",
    "long": "<i8",
    "unsigned long": "<u8",
    "float": "<f4",
    "double": "<f8",
}


MOST_DIGITS = 20  # of an integer in C


class _OfType:
    """A number or a character that has another C type than Python's own would be written with."""

    c_type: str


_KINDS: dict[str, type] = {
    name: type(name.title().replace(" ", ""), (str if name == "char" else float if "f" in form else int, _OfType), {})
    for name, form in C_TYPES.items()
}
for _name, _kind in _KINDS.items():
    _kind.c_type = _name  # type: ignore[attr-defined]
_NAMES = {np.dtype(each): name for name, each in C_TYPES.items() if name != "char"}
_FORM = re.compile(r"\s*\(\s*([a-z]+(?: [a-z]+)?)\s*(?:\[\s*([0-9]{1,18})\s*\])?\s*\)(.*)", re.DOTALL)


def decode(text: str, *, binary: bool) -> Any:
    """The value of a field's text. Raises ValueError with a sentence for what is none."""
    match = _FORM.fullmatch(text)
    if match is None or match[1] not in C_TYPES:
        raise ValueError(
            f"{shown(text.strip())} does not begin with a type in parentheses, such as (int) or (double[3])"
        )
    name, length, content = match.groups()
    count = 1 if length is None else int(length)
    values = _from_base64(content, C_TYPES[name]) if binary else _from_text(content, C_TYPES[name])
    if len(values) != count:
        raise ValueError(f"({name}{'' if length is None else f'[{count}]'}) has {len(values)} values")
    if name == "char":
        return values.tobytes().decode("utf-8")
    return values[0].item() if length is None else values


def decode_typed(text: str, *, binary: bool) -> Any:
    """As `decode`; a single value that would be written with another C type is of a class that keeps its own."""
    value = decode(text, binary=binary)
    if isinstance(value, np.ndarray):
        return value
    head = text[: text.index(")") + 1]
    name = " ".join(head.strip("( \t\n)").split())
    return (
        _KINDS[name](value) if name in _KINDS and encode(value, binary=True).partition(")")[0] != f"({name}" else value
    )


def encode(value: Any, *, binary: bool) -> str:
    """The text of a field's value. Raises ValueError with a sentence for one that has none."""
    if isinstance(value, str):
        return _encoded_text(value, binary)
    if isinstance(value, _OfType):
        value = np.array(value, C_TYPES[value.c_type])[()]
    values = np.asarray(value)
    if values.ndim > 1 or isinstance(value, list):
        raise ValueError("it is neither a number nor a text nor a NumPy array of one dimension")
    if values.dtype == np.bool_:
        raise ValueError("it is a truth value, which has no type in C: give an integer")
    if isinstance(value, int) and -(2**31) <= value < 2**31:
        values = values.astype(np.int32)
    values = values.astype(values.dtype.newbyteorder("<"))
    if values.dtype not in _NAMES:
        raise ValueError(f"it is {type(value).__name__}, which has no type in C")
    head = f"({_NAMES[values.dtype]}{f'[{len(values)}]' if values.ndim else ''})"
    if binary:
        return head + base64.b64encode(values.tobytes()).decode()
    form = "%.32e" if values.dtype.kind == "f" else "%d"
    return head + ",".join(form % each for each in values.reshape(-1).tolist())


def _encoded_text(value: str, binary: bool) -> str:
    content = value.encode()
    head = "(char)" if isinstance(value, _OfType) else f"(char[{len(content)}])"
    if binary:
        return head + base64.b64encode(content).decode()
    if not all(each.isascii() and each.isprintable() for each in value):
        raise ValueError("a text with other than printable ASCII characters needs the mode binary")
    return head + ",".join(value)


def _from_text(content: str, dtype: str) -> NDArray[Any]:
    if dtype == "S1":
        return np.array(_characters(content), dtype)
    parts = content.split(",") if content.strip() else []
    number: Callable[[str], float] = _float if "f" in dtype else whole_number
    try:
        with np.errstate(over="ignore"):
            values = np.array([number(each) for each in parts], dtype)
    except (ValueError, OverflowError):
        raise ValueError(f"{shown(content.strip())} are not values of that type") from None
    if any(np.isinf(value) and "inf" not in each.lower() for value, each in zip(values, parts, strict=True)):
        raise ValueError(f"{shown(content.strip())} are not values of that type")
    return values


def whole_number(text: str) -> int:
    """The integer of decimal digits. Raises ValueError for what only Python reads as one, such as ``1_000``, and
    OverflowError for one that fits no C type, of which Python may not read all digits."""
    if not text.isascii() or "_" in text:
        raise ValueError
    if len(digits := text.strip().lstrip("+-0")) > MOST_DIGITS and digits.isdigit():
        raise OverflowError
    return int(text)


def _float(text: str) -> float:
    if not text.isascii() or "_" in text:
        raise ValueError
    return float(text)


def _characters(content: str) -> list[bytes]:
    """Characters with commas between them; blanks may follow."""
    for text in (content, content.rstrip()):
        if set(text[1::2]) <= {","} and (len(text) % 2 or not text):
            if not text.isascii():
                raise ValueError("a text with other than ASCII characters needs the mode binary")
            return [each.encode() for each in text[::2]]
    raise ValueError(f"{shown(content.strip())} are not characters with commas between them")


def _from_base64(content: str, dtype: str) -> NDArray[Any]:
    try:
        return np.frombuffer(base64.b64decode("".join(content.split()), validate=True), dtype)
    except (binascii.Error, ValueError):
        raise ValueError("it is no base64 of values of that type") from None

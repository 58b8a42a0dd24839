"""How a time is written: a pattern such as `yyyy-MM-dd HH:mm:ss`, in the letters that Spark and Java use."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest.numbers import per_distinct

_MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_TOKEN = re.compile(r"'(?P<quoted>(?:[^']|'')*)'|(?P<letters>([A-Za-z])\3*)|(?P<option>[\[\]])|(?P<literal>[^'])")


def _names(names: list[str], letters: int | None) -> str:
    return "|".join(name[:letters] for name in names)


# Letters to the field and what it looks like (RE2).
_FIELDS: dict[str, tuple[str, str]] = {
    **{letter * 4: ("year", r"\d{4}") for letter in "yu"},
    **{letter * 2: ("year_of_2000", r"\d{2}") for letter in "yu"},
    **dict.fromkeys("yu", ("year", r"\d{1,4}")),
    **{letter * 3: ("month_name", _names(_MONTHS, 3)) for letter in "ML"},
    **{letter * 4: ("month_name", _names(_MONTHS, None)) for letter in "ML"},
    **{letter * 2: ("month", r"\d{2}") for letter in "ML"},
    **dict.fromkeys("ML", ("month", r"\d{1,2}")),
    **{"E" * n: ("weekday", _names(_DAYS, 3)) for n in (1, 2, 3)},
    "EEEE": ("weekday", _names(_DAYS, None)),
    **{"S" * n: ("fraction", rf"\d{{1,{n}}}") for n in range(1, 10)},
    "a": ("half", "am|pm"),
    "X": ("zone", r"z|[+-]\d{2}(?:\d{2})?"),
    "XX": ("zone", r"z|[+-]\d{4}"),
    "XXX": ("zone", r"z|[+-]\d{2}:\d{2}"),
    "x": ("zone", r"[+-]\d{2}(?:\d{2})?"),
    "xx": ("zone", r"[+-]\d{4}"),
    "xxx": ("zone", r"[+-]\d{2}:\d{2}"),
    **{"Z" * n: ("zone", r"[+-]\d{4}") for n in (1, 2, 3)},
    "ZZZZZ": ("zone", r"z|[+-]\d{2}:\d{2}"),
}
for _letter, _field in (("d", "day"), ("H", "hour"), ("h", "hour_of_12"), ("m", "minute"), ("s", "second")):
    _FIELDS[_letter] = (_field, r"\d{1,2}")
    _FIELDS[_letter * 2] = (_field, r"\d{2}")

KNOWN = "y M d E H h a m s S X x Z"


@dataclass(frozen=True)
class Pattern:
    """A compiled pattern; `fields` are the named groups of `regex`."""

    regex: str
    fields: tuple[str, ...]

    @classmethod
    def compiled(cls, pattern: str) -> Pattern:
        """DatagenError for letters that are not known, and for a pattern that does not tell the day."""
        regex, fields, depth, at = "", [], 0, 0
        while at < len(pattern):
            token = _TOKEN.match(pattern, at)
            if token is None:
                raise _refused(pattern, "a quote is not closed")
            at = token.end()
            if token["quoted"] is not None:
                regex += re.escape(token["quoted"].replace("''", "'") or "'")
            elif token["option"]:
                depth += 1 if token["option"] == "[" else -1
                if depth < 0:
                    break
                regex += "(?:" if token["option"] == "[" else ")?"
            elif token["letters"]:
                if token["letters"] not in _FIELDS:
                    raise _refused(pattern, f"{token['letters']} is not known")
                field, form = _FIELDS[token["letters"]]
                if field in fields:
                    raise _refused(pattern, f"the {field} is there twice")
                fields.append(field)
                regex += f"(?P<{field}>{form})"
            else:
                regex += re.escape(token["literal"])
        if depth:
            raise _refused(pattern, "a bracket is without its partner")
        for needed in (("year", "year_of_2000"), ("month", "month_name"), ("day",)):
            if sum(field in fields for field in needed) != 1:
                raise _refused(pattern, f"it must tell the {needed[0]} once")
        if ("hour_of_12" in fields) != ("half" in fields) or {"hour", "hour_of_12"} <= set(fields):
            raise _refused(pattern, "h and a go together, in place of H")
        return cls(f"^(?i:{regex})$", tuple(fields))

    def seconds(self, written: pa.Array) -> pa.Array:
        """Seconds since 1970 in UTC (without a zone: of the calendar as written); null where a text is no such time."""
        matches = pc.extract_regex(written, pattern=self.regex)
        parts = dict(zip((field.name for field in matches.type), matches.flatten(), strict=True))
        fine = np.asarray(matches.is_valid())

        def number(field: str, default: int) -> np.ndarray:
            if field not in parts:
                return np.full(len(written), default)
            digits = pc.if_else(pc.equal(parts[field], ""), str(default), parts[field])
            return np.asarray(pc.fill_null(digits.cast(pa.int64()), default))

        def rank(field: str, names: list[str]) -> np.ndarray:
            short = per_distinct(parts[field], lambda name: _rank(name, names), pa.int64())
            return np.asarray(pc.fill_null(short, -1))

        year = number("year", -1) if "year" in parts else number("year_of_2000", -2001) + 2000
        month = number("month", -1) if "month" in parts else rank("month_name", _MONTHS) + 1
        day, minute, second = number("day", -1), number("minute", 0), number("second", 0)
        hour = number("hour", 0)
        if "hour_of_12" in parts:
            twelve, late = number("hour_of_12", -1), rank("half", ["am", "pm"])
            fine &= (twelve >= 1) & (twelve <= 12) & (late >= 0)
            hour = twelve % 12 + 12 * late
        fine &= (year >= 0) & (month >= 1) & (month <= 12) & (day >= 1) & (hour < 24) & (minute < 60) & (second < 60)
        months = np.where(fine, (year - 1970) * 12 + month - 1, 0).astype("M8[M]")
        first = months.astype("M8[D]").astype(np.int64)
        fine &= first + day - 1 < (months + 1).astype("M8[D]").astype(np.int64)
        days = first + day - 1
        if "weekday" in parts:
            weekday = rank("weekday", _DAYS)
            fine &= (weekday < 0) | (weekday == (days + 3) % 7)  # 1970-01-01 was a Thursday
        seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        if "zone" in parts:
            zone = per_distinct(parts["zone"], _offset, pa.int64())
            fine &= np.asarray(zone.is_valid())
            seconds = seconds - np.asarray(pc.fill_null(zone, 0))
        return pa.array(seconds, pa.int64(), mask=~fine)


def _rank(name: str, names: list[str]) -> int:
    return next((rank for rank, full in enumerate(names) if name and full.startswith(name.lower())), -1)


def _offset(zone: str) -> int | None:
    """Seconds east of UTC; None where there are none, since a part in brackets was left out: then it is UTC."""
    if zone.lower() in ("z", ""):
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].replace(":", "") or 0)
    if hours > 18 or minutes > 59:
        return None
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)


def _refused(pattern: str, why: str) -> DatagenError:
    return DatagenError(
        f"The --timestamp-format {pattern!r} is no date and time pattern of the letters {KNOWN} ({why}): "
        "write it like 'yyyy-MM-dd HH:mm:ss', or use epoch or epoch-ms."
    )

"""Records: values by label, and what the nets around them hide; from dicts and back."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streambench.errors import DataError
from streambench.snet.expressions import evaluate
from streambench.snet.syntax import Label, Labels, Pattern
from streambench.snet.types import accepts, is_tag, ordered
from streambench.user_code import shown

LABEL_RULE = "labels are fields `a`, tags `<t>` and binding tags `<#b>`"


@dataclass(frozen=True)
class Hidden:
    """Labels that a net with a signature hides from what is inside, and those that the nets around it hide."""

    values: dict[Label, Any]
    outer: Hidden | None


@dataclass(frozen=True)
class Record:
    """What moves through a network."""

    values: dict[Label, Any]
    hidden: Hidden | None = None

    def matches(self, pattern: Pattern) -> bool:
        """Whether the record has the pattern's labels, and its guard holds."""
        if not accepts(set(pattern.labels), self.values.keys()):
            return False
        return pattern.guard is None or evaluate(pattern.guard, self.values) != 0

    def giving(self, values: Mapping[Label, Any], consumed: Labels) -> Record:
        """The record made of this one: the ``values``, and by flow inheritance what was not ``consumed``."""
        inherited = {label: value for label, value in self.values.items() if label not in consumed}
        return Record({**inherited, **values}, self.hidden)


def from_dict(labelled: Mapping[str, Any]) -> Record:
    """The record of a dict; its own values are not copied. Raises DataError for what is none, or has a wrong label or
    tag."""
    if not isinstance(labelled, Mapping):
        raise DataError(f"a record is a dict by label, not {shown(labelled)}.")
    try:
        check(labelled)
    except ValueError as problem:
        raise DataError(f"{problem}.") from None
    return Record({label: int(operator.index(each)) if is_tag(label) else each for label, each in labelled.items()})


def check(labelled: Mapping[str, Any]) -> None:
    """Raises ValueError with a sentence for what is no label, or no tag's value."""
    for label, value in labelled.items():
        if not is_label(label):
            raise ValueError(f"{shown(label)} is no label of a record: {LABEL_RULE}")
        if is_tag(label) and not is_tag_value(value):
            raise ValueError(f"tag {label} is {shown(value)}: tags are integers of 32 bits")


def to_dict(record: Record) -> dict[str, Any]:
    """Its values: fields, then tags, each by name."""
    return {label: record.values[label] for label in ordered(record.values)}


def is_label(text: Any) -> bool:
    """Whether it is spelled as a label is."""
    if not isinstance(text, str):
        return False
    name = text.removeprefix("<").removeprefix("#") if text.endswith(">") else text
    return name.removesuffix(">" if text.startswith("<") else "").isidentifier() and name.isascii()


def is_tag_value(value: Any) -> bool:
    """Whether it is an integer of 32 bits."""
    try:
        return bool(-(2**31) <= operator.index(value) < 2**31)
    except Exception:  # a class of the user's
        return False

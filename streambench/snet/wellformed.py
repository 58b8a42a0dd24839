"""What can be seen to be wrong with boxes, filters and patterns by themselves, whatever surrounds them."""

from __future__ import annotations

from collections.abc import Iterable

from streambench.snet.errors import Place, SnetError
from streambench.snet.expressions import Expression, tags
from streambench.snet.syntax import Body, Box, Choice, Filter, Item, Label, Labels, Pattern, Sync
from streambench.snet.types import is_tag


def check_box(box: Box) -> None:
    """Raise SnetError for a box that names a label twice in one tuple."""
    for labels in (box.inputs or (), *box.outputs):
        _require_once(labels, box.place)


def check_sync(sync: Sync) -> None:
    """Raise SnetError for a synchro-cell that has nothing to wait for, or whose patterns are wrong."""
    if len(sync.patterns) < 2:
        raise SnetError(sync.place, "a synchro-cell needs two patterns or more.")
    check_patterns(sync.patterns)


def check_patterns(patterns: Iterable[Pattern]) -> None:
    """Raise SnetError for a label named twice, or a guard over tags that the pattern does not ask for."""
    for pattern in patterns:
        _require_once(pattern.labels, pattern.place)
        if pattern.guard is not None:
            _require_tags(pattern.guard, pattern.labels)


def check_filter(filter: Filter) -> None:
    """Raise SnetError for a label named twice, and for values that the filter's pattern does not ask for."""
    _require_once(filter.labels, filter.place)
    _check_body(filter.body, filter)


def _check_body(body: Body, filter: Filter) -> None:
    if isinstance(body, Choice):
        _require_tags(body.guard, filter.labels)
        _check_body(body.then, filter)
        _check_body(body.otherwise, filter)
        return
    for record in body.records:
        _require_once([item.label for item in record], filter.place)
        for item in record:
            _check_item(item, filter)


def _check_item(item: Item, filter: Filter) -> None:
    if item.value is not None and not isinstance(item.value, str):
        _require_tags(item.value, filter.labels)
    elif not is_tag(item.label):
        source = item.value or item.label
        if source not in filter.labels:
            raise SnetError(filter.place, f"the filter gives field {source}, which its pattern does not ask for.")


def _require_tags(expression: Expression, labels: Labels) -> None:
    for tag in tags(expression):
        if tag.label not in labels:
            raise SnetError(tag.place, f"the expression takes {tag.label}, which its pattern does not ask for.")


def _require_once(labels: Iterable[Label], place: Place) -> None:
    seen: set[Label] = set()
    for label in labels:
        if label in seen:
            raise SnetError(place, f"label {label} is named twice.")
        seen.add(label)

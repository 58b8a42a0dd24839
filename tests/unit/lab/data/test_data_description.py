"""Two results are of other data where what the data hold differs, or else what made them, or else their names."""

from __future__ import annotations

from typing import Any

import pytest

from streambench.lab.data.data_description import difference

MADE = {"data": "a", "data_sha256": "1", "scale_factor": 0.5, "days": 30, "seed": 1, "data_profile": "session"}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, None),
        ({"data": "b"}, None),  # the same under another name
        ({"data_sha256": "2", "scale_factor": 0.05, "seed": 2}, "scale_factor 0.5, not 0.05, seed 1, not 2"),
        ({"data_sha256": "2", "data": "b"}, "data a, not b"),
        ({"data_sha256": "2"}, "the same by name, with other rows"),
        ({"data_sha256": None, "data": "b"}, None),
        ({"data_sha256": None, "days": 31}, "days 30, not 31"),
    ],
)
def test_the_first_that_both_tell_decides(changes: dict[str, Any], told: str | None) -> None:
    assert difference(MADE, MADE | changes) == told


def test_names_decide_where_nothing_else_is_told() -> None:
    assert difference({"data": "a"}, {"data": "b"}) == "data a, not b"
    assert difference({"data": "a"}, {"data": "a", "scale_factor": 1.0}) is None
    assert difference({}, MADE) is None

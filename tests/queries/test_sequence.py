"""Where two output sequences part is told by the first row that differs, to the bit."""

from __future__ import annotations

import pyarrow as pa
import pytest

from streambench.lab.answers.row_difference import first_difference

SERIAL = {"item": [1, 2, 3], "slope": [0.5, -0.0, 2.0]}


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (SERIAL, "no row differs"),
        (
            {**SERIAL, "item": [1, 4, 5]},
            "row 1 is (item 4, slope -0.0) where the serial engine has (item 2, slope -0.0)",
        ),
        ({**SERIAL, "slope": [0.5, 0.0, 2.0]}, "row 1 is (item 2, slope 0.0) where"),
        ({"item": [1], "slope": [0.5]}, "1 rows instead of 3: only the serial engine has row 1, (item 2, slope -0.0)"),
        (
            {"item": [1, 2, 3, 9], "slope": [0.5, -0.0, 2.0, 7.0]},
            "4 rows instead of 3: only this run has row 3, (item 9, slope 7.0)",
        ),
        ({"item": [2, 1], "slope": [0.5, 0.5]}, "row 0 is (item 2, slope 0.5) where"),
    ],
)
def test_the_first_row_that_differs_is_named(changed: dict[str, list[float]], sentence: str) -> None:
    assert first_difference(pa.table(changed), pa.table(SERIAL)).startswith(sentence)


def test_empty_sequences_are_equal() -> None:
    empty = pa.table({"item": pa.array([], pa.int64())})
    assert first_difference(empty, empty) == "no row differs"

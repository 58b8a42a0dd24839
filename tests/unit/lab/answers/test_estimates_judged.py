"""An approximate answer is judged by its bounds, and by what it has of the exact one."""

from __future__ import annotations

import pyarrow as pa
import pytest

from streambench.lab.answers.estimates import Judgement, judge

Row = tuple[int, ...]
NAMES = ("hour", "a", "b", "n", "lower", "guaranteed")
EXACT = [(1, 0, 1, 9), (1, 0, 2, 5), (2, 0, 1, 4)]


def judged(answer: list[Row], exact: list[Row], counts: list[Row]) -> Judgement:
    def table(rows: list[Row]) -> pa.Table:
        return pa.table({name: [row[k] for row in rows] for k, name in enumerate(NAMES[: len(rows[0])])})

    return judge("q1", table(answer), table(exact), table(counts))


def test_recall_and_precision_are_shares_of_the_two_answers() -> None:
    answer = [(1, 0, 1, 10, 7, 1), (1, 0, 3, 6, 2, 0), (2, 0, 1, 4, 4, 0), (2, 0, 3, 4, 2, 0)]
    counts = [(1, 0, 1, 9), (1, 0, 3, 3), (2, 0, 1, 4), (2, 0, 3, 2)]
    assert judged(answer, EXACT, counts) == Judgement(2 / 3, 0.5, 1, 3, None)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ((1, 0, 1, 8, 7, 0), "(hour 1, a 0, b 1) occurs 9 times, but q1 says 7 to 8 times."),
        ((1, 0, 1, 12, 10, 0), "(hour 1, a 0, b 1) occurs 9 times, but q1 says 10 to 12 times."),
        ((1, 0, 4, 9, 1, 0), "(hour 1, a 0, b 4) occurs 0 times, but q1 says 1 to 9 times."),
        ((1, 0, 3, 9, 1, 1), "(hour 1, a 0, b 3) is not in the exact answer, but q1 guarantees it."),
        (
            (1, 0, 3, 8, 1, 0),
            "(hour 1, a 0, b 1) occurs 9 times, more often than q1 says of a row of its answer.",
        ),
    ],
)
def test_what_contradicts_the_bounds_is_told(changed: Row, problem: str) -> None:
    answer = [changed, (1, 0, 2, 5 if changed[2] == 1 else 8, 1, 0), (2, 0, 1, 4, 4, 1)]
    assert judged(answer, EXACT, [*EXACT, (1, 0, 3, 3)]).problem == problem

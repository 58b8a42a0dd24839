"""A range of few runs is never written like a confidence interval, and per cents are those that an interval has."""

from __future__ import annotations

import pytest

from streambench.lab.record.interval_text import error_bars, heading, written
from streambench.lab.record.statistics import Interval, summary


def of(n: int) -> Interval:
    return summary([float(value) for value in range(1, n + 1)])


@pytest.mark.parametrize(
    ("n", "text"), [(1, "1.0 (one run)"), (2, "1.5 (1.0 to 2.0)"), (5, "3.0 (1.0 to 5.0)"), (9, "5.0 [2.0, 8.0]")]
)
def test_brackets_are_for_intervals_and_parentheses_for_ranges(n: int, text: str) -> None:
    assert written(of(n), "{:.1f}".format) == text


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ([], "ratio"),
        ([1], "ratio"),
        ([5, 5], "ratio (min to max of 5)"),
        ([3, 5], "ratio (min to max of 3 to 5)"),
        ([6, 6], "ratio [96.9 %]"),
        ([9, 12, 6], "ratio [≥ 96.1 %]"),
        ([9, 5, 1], "ratio [96.1 %] (min to max of 5)"),
    ],
)
def test_the_heading_says_what_is_below_it(sizes: list[int], text: str) -> None:
    assert heading("ratio", map(of, sizes)) == text


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ([1], "Single runs, without error bars."),
        ([5], "Small points are single runs, large ones medians; 5 runs are too few for an interval."),
        ([9], "Small points are single runs, large ones medians; error bars are 96.1 % confidence intervals."),
        (
            [9, 6, 4],
            "Small points are single runs, large ones medians; error bars are at least 96.1 % confidence intervals; "
            "4 runs are too few for an interval.",
        ),
    ],
)
def test_captions_say_what_error_bars_are(sizes: list[int], sentence: str) -> None:
    assert error_bars(sizes) == sentence

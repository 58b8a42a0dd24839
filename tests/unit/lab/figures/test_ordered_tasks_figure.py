"""The figure of tasks that end in order: what it holds, and that without the section there is none."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import made_up_perf
import pytest

from streambench.errors import StreambenchError
from streambench.lab import figures
from streambench.lab.figures import ordered_tasks


def document(repeats: int = 7) -> dict[str, Any]:
    series = {"one thread": [8.0] * repeats, "the Ordered Scheduler": [5.0 - k / 10 for k in range(repeats)]}
    cases = [
        made_up_perf.case({**series, "a lock": [4.0] * repeats}, [], "order") | {"case": f"{language}, {work}"}
        for language in ("Cython", "Python")
        for work in ("0.1 µs", "100 µs")
    ]
    return made_up_perf.document() | {"runs": cases, "summary": []}


def test_points_are_how_many_times_one_thread_with_intervals_of_enough_runs() -> None:
    found = ordered_tasks.points(document())
    assert len(found) == 4 * 2
    first = found[0]
    assert (first["language"], first["work"], first["way"]) == ("Cython", "0.1 µs", "the Ordered Scheduler")
    assert first["ratio"] == pytest.approx(8 / 4.7)
    assert first["ratio_low"] == pytest.approx(8 / 5.0)
    assert {each["ratio_low"] for each in ordered_tasks.points(document(repeats=2))} == {None}


def test_it_is_drawn_from_a_result_of_perf_with_its_rows_beside_it(tmp_path: Path) -> None:
    written = figures.draw(document(), tmp_path)
    assert [path.name for path in written] == ["ordered-tasks.png", "ordered-tasks.svg", "ordered-tasks.csv"]
    with written[-1].open(newline="") as file:
        assert [row["way"] for row in csv.DictReader(file)] == 4 * ["the Ordered Scheduler", "a lock"]
    text = written[1].read_text()
    assert "in Python" in text
    assert "medians of 7 runs" in text


def test_a_result_without_the_section_has_no_such_figure(tmp_path: Path) -> None:
    with pytest.raises(StreambenchError, match="without the section `order`"):
        figures.draw(made_up_perf.document(), tmp_path, ["ordered-tasks"])

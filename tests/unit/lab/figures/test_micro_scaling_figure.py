"""The figure of the micro pipeline over workers: what it holds, and that without the section there is none."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import made_up_perf
import pytest

from streambench.errors import StreambenchError
from streambench.lab import figures
from streambench.lab.figures import micro_scaling


def document(repeats: int = 7) -> dict[str, Any]:
    series = {
        "1 loop": [8.0] * repeats,
        "1 workers": [8.0] * repeats,
        "2 workers": [5.0 - k / 10 for k in range(repeats)],
    }
    cases = [
        made_up_perf.case({**series, "2 loops": [4.0] * repeats}, [], "scaling") | {"case": f"{work}, {place}"}
        for work in ("no work", "1 µs")
        for place in ("stateless", "hot key")
    ]
    return made_up_perf.document() | {"runs": cases, "summary": []}


def test_points_are_how_many_times_one_loop_with_intervals_of_enough_runs() -> None:
    found = micro_scaling.points(document())
    assert len(found) == 4 * 3
    two = next(each for each in found if (each["kind"], each["number"]) == ("workers", 2))
    assert two["ratio"] == pytest.approx(8 / 4.7)
    assert two["ratio_low"] == pytest.approx(8 / 5.0)
    assert two["n"] == 7
    few = micro_scaling.points(document(repeats=2))
    assert {each["ratio_low"] for each in few} == {None}


def test_it_is_drawn_from_a_result_of_perf_with_its_rows_beside_it(tmp_path: Path) -> None:
    written = figures.draw(document(), tmp_path)
    assert [path.name for path in written] == ["micro-scaling.png", "micro-scaling.svg", "micro-scaling.csv"]
    with written[-1].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["work"] for row in rows[::6]] == ["no work", "1 µs"]
    text = written[1].read_text()
    assert "no work" in text
    assert "medians of 7 runs" in text


def test_a_result_without_the_section_has_no_such_figure(tmp_path: Path) -> None:
    with pytest.raises(StreambenchError, match="without the section `scaling`"):
        figures.draw(made_up_perf.document(), tmp_path, ["micro-scaling"])

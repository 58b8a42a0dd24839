"""The figure of streams that change shows what a result holds of them, and nothing without."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import made_up_perf
import pytest

from streambench.errors import StreambenchError
from streambench.lab import figures
from streambench.lab.figures import changes


def document(**changed: Any) -> dict[str, Any]:
    made = made_up_perf.document()
    made["runs"][0] |= {"tracks": [made_up_perf.track()], **changed}
    return made


def test_every_window_is_in_the_csv_with_the_plan_of_its_time(tmp_path: Path) -> None:
    written = figures.draw(document(), tmp_path, ["changes"])
    assert [path.name for path in written] == ["changes.png", "changes.svg", "changes.csv"]
    with written[2].open() as file:
        rows = list(csv.DictReader(file))
    assert [each["plan"] for each in rows] == ["whole", "whole", "cut", "cut"]
    assert [float(each["greatest"]) for each in rows] == made_up_perf.track()["greatest"]


def test_a_result_is_drawn_against_its_targets_and_over_time(tmp_path: Path) -> None:
    assert [path.stem for path in figures.draw(document(), tmp_path)] == ["perf"] * 3 + ["changes"] * 3
    without = made_up_perf.document()
    assert [path.stem for path in figures.draw(without, tmp_path)] == ["perf"] * 3
    with pytest.raises(StreambenchError, match="without the section `changes`"):
        figures.draw(without, tmp_path, ["changes"])


def test_a_result_without_targets_is_drawn_over_time_alone(tmp_path: Path) -> None:
    made = document()
    made["summary"] = [{**row, "target": None} for row in made["summary"]]
    assert [path.stem for path in figures.draw(made, tmp_path)] == ["changes"] * 3


def test_the_same_document_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (figures.draw(document(), tmp_path / name, ["changes"]) for name in "ab")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_words_tell_what_the_figure_shows() -> None:
    assert changes.summary([made_up_perf.track()]) == "rate: it steps at 200 ms; worst latency 5.00 ms; 2 plans."

"""The figure of `streambench bench perf` has a row for every target, on the side of 1 where the measure is."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import made_up_perf
import pytest
from matplotlib.figure import Figure

from streambench.errors import OptionError, StreambenchError
from streambench.lab import figures
from streambench.lab.figures import perf
from streambench.lab.record.perf_summary import TIMES


def row(median: float, low: float, high: float, target: float, at_most: bool) -> dict[str, Any]:
    return {"median": median, "low": low, "high": high, "target": target, "at_most": at_most, "coverage": 0.96}


def test_right_of_one_is_better_than_wanted_however_it_is_bounded() -> None:
    (below, above, shrunk) = perf.placed(
        [row(1.5, 1.2, 1.8, 3.0, False), row(1.5, 1.0, 2.0, 3.0, True), row(-0.5, -1.0, 2.0, 4.0, True)]
    )
    assert (below["at"], below["low"], below["high"]) == pytest.approx((0.5, 0.4, 0.6))
    assert (above["at"], above["low"], above["high"]) == (2.0, 1.5, 3.0)
    assert (shrunk["at"], shrunk["low"], shrunk["high"]) == (32, 2.0, 32)


def test_few_runs_have_no_interval() -> None:
    (only,) = perf.placed([row(1.5, 1.2, 1.8, 3.0, False) | {"coverage": None}])
    assert (only["low"], only["high"]) == (None, None)


def test_every_target_is_a_row_and_the_csv_has_the_others_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Figure] = []
    saved = perf.save
    monkeypatch.setattr(perf, "save", lambda figure, *where: drawn.append(figure) or saved(figure, *where))
    made = made_up_perf.document()
    written = figures.draw(made, tmp_path)
    assert [path.name for path in written] == ["perf.png", "perf.svg", "perf.csv"]
    names = [label.get_text() for label in drawn[0].axes[0].get_yticklabels()]
    assert names == [f"fast   ≥ 1.9 {TIMES}", f"not fast   ≥ 1.9 {TIMES}", "little   ≤ 4 MiB"]
    with written[2].open() as file:
        rows = list(csv.DictReader(file))
    assert [each["what"] for each in rows] == ["fast", "not fast", "for reading", "little"]
    assert [float(each["median"]) for each in rows] == [each["median"] for each in made["summary"]]


def test_the_same_document_gives_the_same_bytes(tmp_path: Path) -> None:
    made = made_up_perf.document()
    first, second = figures.draw(made, tmp_path / "a"), figures.draw(made, tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_the_caption_tells_where_and_how_it_was_measured() -> None:
    text = perf.caption(made_up_perf.document())
    for part in (
        "Example 9000, 2 cores",
        "streambench 0.0.1 (abc), 2030-01-02",
        "scale factor 1",
        "9 repeats",
        "96.1 %",
    ):
        assert part in text
    assert "single runs" not in text, "they are not drawn"


def test_what_cannot_be_drawn_is_told(tmp_path: Path) -> None:
    made = made_up_perf.document()
    with pytest.raises(OptionError, match=r"figure scaling is drawn from a result of `streambench bench queries`"):
        figures.draw(made, tmp_path, ["scaling"])
    assert figures.perf_figures(made) == ["perf"]
    made["summary"] = [each for each in made["summary"] if each["target"] is None]
    assert figures.perf_figures(made) == []
    with pytest.raises(StreambenchError, match="no row with a target"):
        figures.draw(made, tmp_path)
    assert list(tmp_path.iterdir()) == []

"""The figure of a cluster bench: seconds over tuples, only of what was right."""

from __future__ import annotations

import csv
from pathlib import Path

import made_up_cluster
import pytest

from streambench.errors import StreambenchError
from streambench.lab import figures
from streambench.lab.record.cluster_bench_summary import SPARK_SQL, WAYS


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def test_every_way_of_a_query_is_drawn_over_the_data(tmp_path: Path) -> None:
    written = figures.draw(made_up_cluster.document(), tmp_path)
    assert [path.name for path in written] == ["cluster-cost.png", "cluster-cost.svg", "cluster-cost.csv"]
    found = rows(written[-1])
    assert len(found) == 2 * len(WAYS) * len(made_up_cluster.SIZES)
    (point,) = [row for row in found if row["panel"] == "q4" and row["line"] == "ours" and row["data"] == "sf3"]
    assert int(point["x"]) == made_up_cluster.SIZES["sf3"]
    assert float(point["y"]) == pytest.approx(0.5 + 0.4 * 21)
    text = written[1].read_text()
    assert "Not drawn" not in text
    assert "sf1, sf3" in text


def test_what_was_wrong_is_named_and_not_drawn(tmp_path: Path) -> None:
    written = figures.draw(made_up_cluster.document(wrong=True), tmp_path)
    found = [row for row in rows(written[-1]) if row["line"] == WAYS[SPARK_SQL]]
    assert [(row["panel"], row["data"]) for row in found] == [("q1", "sf3"), ("q4", "sf1"), ("q4", "sf3")]
    assert "row 3 differs" in written[1].read_text()


def test_without_a_right_run_nothing_is_drawn(tmp_path: Path) -> None:
    document = made_up_cluster.document()
    document["runs"] = [{**run, "verified": False, "seconds": None, "problem": "x"} for run in document["runs"]]
    with pytest.raises(StreambenchError, match=r"^there is nothing to draw"):
        figures.draw(document, tmp_path)

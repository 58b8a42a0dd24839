"""Figures draw what was measured and verified, all of it and nothing else, and the same input gives the same file."""

import csv
import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from streambench.errors import StreambenchError
from streambench.lab import figures
from streambench.lab.cli import cli
from streambench.lab.figures import files, scaling
from streambench.lab.record import results

MACHINE = {"cpu": {"model": "Example 9000", "allowed": [0, 1], "hypervisor": "none"}}


def document(wrong: tuple[str, int] | None = None, units: tuple[int, ...] = (1024,)) -> dict[str, Any]:
    runs = []
    for query, base in (("q1", 10.0), ("q15", 1000.0)):
        for repeat in range(3):
            same = {"query": query, "repeat": repeat, "tuples": 9, "partitions": 4, "answer_ok": True, "latency": {}}
            runs.append(
                same | {"engine": "serial", "workers": 1, "unit": None, "throughput": base, "sequence_ok": True}
            )
            for workers in (1, 2, 3):
                for unit in units:
                    runs.append(
                        same
                        | {
                            "engine": "ordered",
                            "workers": workers,
                            "unit": unit,
                            "sequence_ok": (query, workers) != wrong,
                        }
                        | {"throughput": base * workers * (1 + repeat / 100) * unit / 1024}
                    )
    parameters = {"scale_factor": 0.5, "repeats": 3}
    made = results.document("bench", parameters, runs, MACHINE, [])
    return made | {"created": "2030-01-02T00:00:00+00:00", "git": None}


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def test_every_figure_comes_as_png_svg_and_csv(tmp_path: Path) -> None:
    written = figures.draw(document(), tmp_path / "new")
    assert [path.name for path in written] == ["scaling.png", "scaling.svg", "scaling.csv"]
    assert written[0].read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(written[1]).getroot().tag.endswith("svg")
    assert sorted(written) == sorted((tmp_path / "new").iterdir())


@pytest.mark.slow
def test_the_same_document_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = figures.draw(document(), tmp_path / "a"), figures.draw(document(), tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_the_data_behind_the_figure_is_the_summary(tmp_path: Path) -> None:
    made = document()
    rows = read_rows(figures.draw(made, tmp_path)[2])
    drawn = {(row["query"], row["engine"], int(row["workers"])): float(row["throughput"]) for row in rows}
    measured = {(row["query"], row["engine"], row["workers"]): row["throughput"] for row in made["summary"]}
    assert drawn == measured


def test_a_wrong_configuration_is_not_drawn_and_the_caption_says_so(tmp_path: Path) -> None:
    made = document(wrong=("q15", 2))
    rows = read_rows(figures.draw(made, tmp_path)[2])
    assert ("q15", "2") not in {(row["query"], row["workers"]) for row in rows}
    assert ("q1", "2") in {(row["query"], row["workers"]) for row in rows}
    assert "Not drawn, because a run was wrong: a configuration of q15" in scaling.caption(made)
    assert "Not drawn" not in scaling.caption(document())


def test_the_runs_behind_a_median_are_in_the_data_and_paired_with_serials(tmp_path: Path) -> None:
    rows = read_rows(figures.draw(document(), tmp_path)[2])
    (row,) = (row for row in rows if (row["query"], row["engine"], row["workers"]) == ("q1", "ordered", "2"))
    assert [float(value) for value in row["throughputs"].split()] == pytest.approx([20.0, 20.2, 20.4])
    assert [float(value) for value in row["ratios"].split()] == pytest.approx([2.0, 2.02, 2.04])
    assert (row["throughput_low"], row["ratio_high"]) == ("", ""), "three runs are too few for an interval"
    (row,) = (row for row in rows if (row["query"], row["engine"]) == ("q1", "serial"))
    assert row["throughputs"].split() == ["10.0"] * 3
    assert row["ratios"].split() == ["1.0"] * 3


def test_of_several_unit_sizes_the_fastest_is_drawn() -> None:
    found = scaling.points(document(units=(64, 1024, 256))["runs"])
    assert {point["unit"] for point in found if point["engine"] == "ordered"} == {1024}


def test_the_caption_tells_where_and_how_it_was_measured() -> None:
    text = scaling.caption(document())
    for part in ("Example 9000, 2 cores", "streambench 0.", "2030-01-02", "scale factor 0.5", "nothing simulated"):
        assert part in text


def test_a_line_breaks_where_there_is_no_right_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    drawn: list[Figure] = []
    monkeypatch.setattr(files, "save", lambda figure, *_: drawn.append(figure) or [])
    figures.draw(document(wrong=("q15", 2)), tmp_path)
    heights = [list(container.lines[0].get_ydata()) for container in drawn[0].axes[1].containers]
    assert [[math.isfinite(value) for value in line] for line in heights] == [[True, True, True], [True, False, True]]


def test_nothing_measured_is_nothing_drawn(tmp_path: Path) -> None:
    made = document()
    made["runs"] = [run for run in made["runs"] if run["engine"] == "serial"]
    with pytest.raises(StreambenchError, match="no verified run of the engine ordered or schemes"):
        figures.draw(made, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_figure(tmp_path: Path, room: Callable[[int], AbstractContextManager[None]]) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    with room(5), pytest.raises(StreambenchError, match=r"a\.csv cannot be written: File too large; make room"):
        files.save_rows([{"x": 123456}], tmp_path, "a")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_the_command_takes_a_file_a_folder_or_the_latest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = results.write(document(), tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    for arguments in ([], [str(path)], ["results"], ["latest"]):
        outcome = CliRunner().invoke(cli, ["figures", *arguments, "--out", "drawn"])
        assert outcome.exit_code == 0, outcome.output
        assert outcome.stdout.split() == [f"drawn/scaling.{kind}" for kind in ("png", "svg", "csv")]


@pytest.mark.parametrize(
    ("own", "oracle", "checked"),
    [
        ((), None, "every configuration's answer (one lap) against SQL. Derived from TPCx-BB, not a TPC result."),
        (("q15",), None, "every query's answer (one lap) against SQL. Derived from TPCx-BB, not a TPC result."),
        (("q1", "q15"), None, "checked against serial's."),
        (("q1", "q15"), "a.sql", "checked against serial's, that of own:q1, own:q15 against SQL of its own."),
    ],
)
def test_the_caption_says_what_own_pipelines_were_checked_against(
    own: tuple[str, ...], oracle: str | None, checked: str
) -> None:
    made = document()
    runs = [run | ({"query": f"own:{run['query']}"} if run["query"] in own else {}) for run in made["runs"]]
    text = scaling.caption(made | {"runs": runs, "parameters": {"oracle": oracle}})
    assert text.endswith(checked)


def test_own_pipelines_come_after_the_queries_in_a_summary() -> None:
    runs = [run | ({"query": "a2:b"} if run["query"] == "q1" else {}) for run in document()["runs"]]
    assert list(dict.fromkeys(row["query"] for row in results.summarise(runs))) == ["q15", "a2:b"]

"""Simulated curves are told apart from what was measured, in the picture, its caption and its CSV."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from made_up_simulation import COUNTS, as_the_paper_says, simulation
from made_up_sweep import document, whole

from streambench.errors import StreambenchError
from streambench.lab.figures import draw
from streambench.lab.figures.lines import look, look_of
from streambench.lab.figures.paper import FIGURES
from streambench.lab.figures.selection import Mode
from streambench.lab.figures.simulated import charts

MADE = simulation(as_the_paper_says())
MEASURED = document(whole(2), 2)
LINES = ["ct", "lp", "ct, simulated", "lp, simulated"]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def of(name: str, cores: int, measured: dict[str, Any] | None = MEASURED) -> Any:
    return next(each for each in charts(MADE, measured, None, [name], [Mode(1, False)]) if each[2] == cores)


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_goes_to_the_papers_cores_and_to_the_most(name: str) -> None:
    for cores in (16, 128):
        _, _, _, chart, caption = of(name, cores)
        simulated = [row for row in chart.rows if row["simulated"] == "yes"]
        assert {row["line"].endswith(", simulated") for row in simulated} == {True}
        assert max(row["workers"] for row in simulated) <= cores
        assert caption.startswith(f"Figure {name}, to {cores} cores. Hollow and dashed: simulated, not measured.")
        assert not any(row["line"].endswith(", simulated") for row in chart.rows if row["simulated"] == "no")


def test_what_was_measured_stands_beside_it_as_it_is() -> None:
    with_both = of("8a", 16)[3]
    measured = [row for row in with_both.rows if row["simulated"] == "no" and row["engine"] == "schemes"]
    assert {row["workers"] for row in measured} == {1, 2}
    alone = of("8a", 16, None)[3]
    assert not [row for row in alone.rows if row["simulated"] == "no" and row["engine"] == "schemes"]
    ours = [row for row in with_both.rows if row["simulated"] == "yes"]
    assert ours == [row for row in alone.rows if row["simulated"] == "yes"]


def test_a_simulated_line_looks_like_the_measured_one_but_hollow_and_dashed() -> None:
    for name in ("ct", "lp"):
        real, made_up = look(LINES.index(name)), look_of(f"{name}, simulated", LINES)
        assert (real["color"], real["marker"]) == (made_up["color"], made_up["marker"])
        assert made_up["markerfacecolor"] == "white" != real["markerfacecolor"]
        assert made_up["linestyle"] != look(0)["linestyle"]
        assert look_of(name, LINES) == real


def test_at_the_papers_costs_nothing_measured_is_beside_it() -> None:
    paper = simulation(as_the_paper_says(), costs="paper")
    for _, _, _, chart, caption in charts(paper, MEASURED, None, ["8a"], [Mode(1, False)]):
        assert {row["engine"] for row in chart.rows if row["simulated"] == "no"} == {"serial"}
        assert "operators cost as the paper's text gives them" in caption


def test_files_say_simulated_and_are_the_same_each_time(tmp_path: Path) -> None:
    made = simulation([run for run in as_the_paper_says() if run["query"] in ("q1", "sl")])
    told: list[str] = []
    written = draw(made, tmp_path / "one", ["8a", "12a", "9"], told.append, MEASURED)
    assert sorted({path.name.split(".")[0] for path in written}) == [
        f"figure-{name}-{cores}-cores" for name in ("12a", "8a") for cores in (128, 16)
    ]
    assert [sentence.split(":")[0] for sentence in told] == ["figure 9 is not drawn"]
    assert "ct, simulated" in (tmp_path / "one" / "figure-8a-16-cores.svg").read_text()
    found = rows(tmp_path / "one" / "figure-8a-128-cores.csv")
    assert {row["workers"] for row in found if row["simulated"] == "yes"} == set(map(str, COUNTS))
    draw(made, tmp_path / "two", ["8a", "12a"], None, MEASURED)
    for name in ("figure-8a-16-cores.svg", "figure-12a-128-cores.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    with pytest.raises(StreambenchError, match="no simulated points"):
        draw(made, tmp_path / "three", ["9"], None, MEASURED)
    assert not (tmp_path / "three").exists()

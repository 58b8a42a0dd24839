"""The figures of paper 001: only what was measured and right, with the ideal lines and the paper's claims."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import made_up_joins
import pytest

from streambench.errors import OptionError, StreambenchError
from streambench.lab import figures
from streambench.lab.figures import files, join_skew
from streambench.lab.figures.chart import Chart, picture
from streambench.lab.figures.joins import PAPER


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def charted(name: str, document: Any) -> tuple[Chart, str]:
    chart = PAPER.recipes[name].chart(document)
    assert chart is not None
    return chart, PAPER.caption(name, document, chart)


def test_every_figure_with_points_is_drawn_and_the_others_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    save = lambda figure, out, stem: [out / f"{stem}.{kind}" for kind in ("png", "svg")]  # noqa: E731
    monkeypatch.setattr(files, "save", save)  # rendered elsewhere
    written = figures.draw(made_up_joins.document(), tmp_path, tell=told.append)
    names = [
        f"figure-{name}.{kind}" for name in ("5a", "5b", "5c", "7a", "7b", "8a", "8c") for kind in ("png", "svg", "csv")
    ]
    assert [path.name for path in written] == names
    assert told == [
        *(
            f"figure {name} is not drawn: the result holds no verified runs of both the joins scale and handshake"
            for name in ("6a", "6c")
        ),
        "figure 8b is not drawn: the result holds no verified run of the case study 8b",
    ]


def test_ideal_lines_are_n_times_and_the_root_of_n_times_one_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "save", lambda figure, out, stem: [])
    figures.draw(made_up_joins.document(), tmp_path, only=("5a", "5b"))
    for name, word, bound in (("5a", "n Cmax", 2.0), ("5b", "√n Tmax", 2**0.5)):
        found = rows(tmp_path / f"figure-{name}.csv")
        for panel in ("scan", "index"):
            one = next(each for each in found if (each["panel"], each["line"], each["x"]) == (panel, "5 min", "1"))
            ideal = [each for each in found if (each["panel"], each["line"]) == (panel, f"{word}, 5 min")]
            assert [float(each["x"]) for each in ideal] == [1, 2]
            assert [float(each["y"]) / float(one["y"]) for each in ideal] == pytest.approx([1, bound])
            assert (one["repeats"], len(one["values"].split())) == ("7", 7)


def test_the_handshake_join_is_drawn_beside_scale_join_and_their_difference(tmp_path: Path) -> None:
    made = made_up_joins.document("scale", "handshake", repeats=2)
    figures.draw(made, tmp_path, only=("6",))
    beside = rows(tmp_path / "figure-6a.csv")
    assert {each["line"] for each in beside} == {"scale", "handshake"}
    (one,) = [each for each in rows(tmp_path / "figure-6c.csv") if (each["line"], each["x"]) == ("5 min", "2")]
    assert list(map(float, one["values"].split())) == pytest.approx([0.25 * 1.9e8, 0.25 * 1.9e8 * 1.01])


def test_axes_show_what_is_below_zero_and_what_is_zero_only() -> None:
    made = made_up_joins.document("scale", "handshake", repeats=2)
    for run in made["runs"]:
        if run["join"] == "handshake":
            run["comparisons_per_second"] *= 2
    slower = PAPER.recipes["6c"].chart(made)
    assert slower is not None
    assert picture(slower, "").axes[0].get_ylim()[0] < min(each["y"] for each in slower.rows) < 0
    alone = made | {"runs": [run for run in made["runs"] if run["threads"] == 1]}
    even = PAPER.recipes["5c"].chart(alone)
    assert even is not None
    assert picture(even, "").axes[1].get_ylim() == (0.0, 1.0)


def test_a_point_with_a_wrong_run_is_not_drawn_and_the_caption_names_it(tmp_path: Path) -> None:
    made = made_up_joins.document()
    bad = next(run for run in made["runs"] if (run["tier"], run["threads"]) == ("index", 2))
    bad |= {"verified": False, "comparisons_per_second": None, "tuples_per_second": None, "per_thread": None}
    figures.draw(made, tmp_path, only=("5a",))
    found = rows(tmp_path / "figure-5a.csv")
    places = {each["x"] for each in found if (each["panel"], each["line"]) == ("index", "5 min")}
    assert places == {"1"}
    _, text = charted("5a", made)
    assert "because a run was wrong: throughput of scale, index with 2 threads." in text


def test_captions_have_the_papers_claim_beside_what_was_measured() -> None:
    made = made_up_joins.document()
    others = {"5a": "5d", "5b": "5e", "5c": "5f", "6a": "6b", "7b": "7c"}  # of the paper's second machine
    for name, paper, here in (
        ("5a", "4 billion on 48 threads", "Here scan 1.90 times from 1 to 2, index 1.90 times from 1 to 2 threads."),
        ("5b", "5,100, 3,500 and 3,000", "Here scan 1.38 times from 1 to 2, index 1.38 times from 1 to 2 threads."),
        ("5c", "up to 4 %", "a deviation of up to 0.05 %"),
        ("7a", "up to 150,000", "up to 10 million, of the gate ring, 2 in and 1 out."),
        ("7b", "up to 70 ms", "a p99 of up to 5 ms"),
    ):
        _, text = charted(name, made)
        for part in (
            f"Figure {name} of paper 001" + (f"; it stands for {other}, too." if (other := others.get(name)) else "."),
            paper,
            here,
            "two machines, here is one",
            "Example 9000",
            "checked",
        ):
            assert part in text, (name, part)
    text = join_skew.STUDIES[0].text(made_up_joins.study("8a"))
    assert "some 65 million" in text
    assert "Here: 100 to 100 million a second of each, a deviation below 0.01 %, at the end below 0.01 %." in text


def test_a_caption_tells_the_growth_of_each_tier_between_its_own_threads() -> None:
    runs = [
        made_up_joins.run("throughput", "scale", tier, threads, 300.0, 0)
        for tier, counts in (("scan", (1, 4)), ("index", (2, 3)))
        for threads in counts
    ]
    chart, _ = charted("5a", made_up_joins.document() | {"runs": runs})
    assert "Here scan 6.86 times from 1 to 4, index 1.90 times from 2 to 3 threads." in chart.text


def test_skew_is_that_of_what_was_looked_at_so_far() -> None:
    samples: Any = {"seconds": [1.0, 2.0, 4.0], "compared": [[10, 10], [30, 30], [90, 110]]}
    assert join_skew.through_time(samples) == [(1.5, 20.0, 0.0), (3.0, 35.0, 10.0)]


def test_the_same_document_gives_the_same_bytes_and_nothing_to_draw_is_told(tmp_path: Path) -> None:
    made = made_up_joins.document(repeats=2)
    first, second = (figures.draw(made, tmp_path / each, only=("5c", "8a")) for each in "ab")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    with pytest.raises(StreambenchError, match="`streambench bench joins`"):
        figures.draw(made | {"runs": []}, tmp_path)
    with pytest.raises(OptionError, match="figure scaling is drawn from a result of `streambench bench queries`"):
        figures.draw(made, tmp_path, only=("scaling",))
    assert set(PAPER.recipes) < set(PAPER.names)

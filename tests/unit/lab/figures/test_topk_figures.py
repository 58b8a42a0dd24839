"""The figures of paper 002: only what was measured and right, with the paper's claims."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import made_up_topk
import pytest

from streambench.errors import StreambenchError
from streambench.lab import figures
from streambench.lab.figures import files
from streambench.lab.figures.chart import Chart
from streambench.lab.figures.topk import PAPER
from streambench.lab.measure.topk import points
from streambench.lab.measure.topk.bench import TopkBench


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def charted(name: str, document: Any) -> tuple[Chart, str]:
    chart = PAPER.recipes[name].chart(document)
    assert chart is not None
    return chart, PAPER.caption(name, document, chart)


@pytest.fixture
def unrendered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "save", lambda figure, out, stem: [])


@pytest.mark.usefixtures("unrendered")
def test_every_figure_with_points_is_drawn_and_the_others_are_told(tmp_path: Path) -> None:
    told: list[str] = []
    whole = made_up_topk.document(repeats=2)
    written = figures.draw(whole, tmp_path, tell=told.append)
    assert [path.name for path in written] == [f"figure-{name}.csv" for name in PAPER.names]
    assert told == []
    alone = whole | {"runs": [run for run in whole["runs"] if run["design"] != "shared" and not run["failing"]]}
    figures.draw(alone, tmp_path, ("2", "5", "7", "9"), told.append)
    assert told == [
        f"figure {name} is not drawn: the result holds no verified {PAPER.recipes[name].needs}"
        for name in ("2", "5", "7")
    ]


def test_the_bench_measures_what_each_figure_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(points.FIGURES) == set(PAPER.names)
    known = {
        name: SimpleNamespace(profiled=name != "fast", tuned=name == "auto-tuned", merges=name == "independent")
        for name in made_up_topk.SPEEDS
    }
    monkeypatch.setattr(points, "DESIGNS", known)
    bench = TopkBench(
        designs=tuple(made_up_topk.SPEEDS),
        alphas=(0.5, 1.5, 2.5),
        streams=(4, 8),
        failing=(0.0, 0.5),
        epsilons=made_up_topk.EPSILONS,
        rhos=made_up_topk.RHOS,
        sources=points.SOURCES,
    )
    every = bench.points()
    for name in PAPER.names:
        own = replace(bench, figures=(name,)).points()
        made = made_up_topk.document(repeats=1)
        made["runs"] = [
            made_up_topk.run(
                *point[:3],
                0,
                failing=point.failing,
                instrumented=point.instrumented,
                epsilon=point.epsilon,
                rho=point.rho,
                query_every=point.query_every,
                source=point.source,
            )
            for point in own
        ]
        assert PAPER.recipes[name].chart(made) is not None, name
        assert set(own) <= set(every)


@pytest.mark.usefixtures("unrendered")
def test_a_speed_up_is_paired_by_repeat_and_shares_are_of_all_time(tmp_path: Path) -> None:
    figures.draw(made_up_topk.document(), tmp_path, ("6", "1", "updates"))
    gains = [each for each in rows(tmp_path / "figure-6.csv") if (each["line"], each["x"]) == ("8 streams", "1.5")]
    assert [each["panel"] for each in gains] == ["cooperative against shared", "cooperative against shared-blocking"]
    for each, gain in zip(gains, (3.0, 4.0), strict=True):
        assert list(map(float, each["values"].split())) == pytest.approx([gain] * 7)
    shares = [each for each in rows(tmp_path / "figure-1.csv") if (each["panel"], each["x"]) == ("α 1.5", "8")]
    assert sum(float(each["y"]) for each in shares) == pytest.approx(100)
    assert {each["line"]: float(each["y"]) for each in shares}["merge"] == pytest.approx(100 * 8 / 11.5)
    assert {each["line"] for each in rows(tmp_path / "figure-updates.csv")} == set(made_up_topk.SPEEDS)


def test_captions_have_the_papers_claim_beside_what_was_measured() -> None:
    made = made_up_topk.document()
    for name, paper, here in (
        ("1", "merging makes the design inefficient", "merging takes 53 % with 4 streams, 70 % with 8"),
        ("2", "waiting for an element or a bucket", "Here 63 % of shared, 72 % of shared-blocking."),
        ("5", "cooperation takes less time", "with 8 streams against 4: cooperative 2 times as long, shared 2 times"),
        ("6", "2 to 5.5 times, on 4 cores", "Here 3 times as fast as shared, 4 times as fast as shared-blocking."),
        ("7", "the closer the two designs are", "50 % fail: cooperative takes 2 times as long, shared takes 1 times"),
        (
            "8",
            "about 5 % at most",
            "Here 2.9 times as fast as shared at α up to 1; 3.8 times as fast as shared-blocking at α up to 1; "
            "a cost of 4.2 % at α from 2 up.",
        ),
        ("9a", "very little to synchronisation", "to queues 33 % at α 1.5, 23 % at α 2.5"),
        ("9b", "tens on the average, hundreds at most", "Here 8 to 13 on the average, up to 400."),
        ("9c", "more with more threads", "Here α 1.5 7.5 %; α 2.5 12 %."),
        ("10b", "holds back at 500", "Here 8 to 40 on the average, up to 400."),
        ("updates", "no such figure", "up to 412 million, of fast at α 0.5 with 4 streams"),
        ("accuracy-epsilon", "no such figure", "precision is 50 to 100 %, recall 100 %, the error 0.1 to 10 %"),
        ("accuracy-skew", "no such figure", "over α 0.5 to 2.5, 8 streams, ε 0.0001"),
        (
            "accuracy-streams",
            "no such figure",
            "over α 1.5, items of clicks, pages of clicks, 4 to 8 streams",
        ),
        ("sources", "no such figure", "Here up to 412 million, of fast with items and 4 streams."),
        ("queries", "no such figure", "Here half of all answers take up to 800 µs, of independent with 8 streams."),
        ("tuning", "The paper has 500", "with 8 streams up to 5.93 million, at α 0.5 and ρ 500"),
    ):
        _, text = charted(name, made)
        parts = [
            paper,
            here,
            "1,000,000 items a stream, ε = 0.0001 where",
            "take turns",
            "Example 9000",
            "exact counts",
        ]
        for part in parts:
            assert part in text, (name, part, text)
        assert text.startswith(f"Figure {name} of paper 002.") == name[0].isdigit()


def test_figures_of_the_paper_show_the_first_epsilon_and_the_first_rho() -> None:
    made = made_up_topk.document(repeats=2)
    alone = made | {"runs": [run for run in made["runs"] if run["epsilon"] == 0.0001 and run["rho"] in (0, 500)]}
    for name in PAPER.names:
        if name[0].isdigit():
            assert charted(name, made)[0].rows == charted(name, alone)[0].rows
    for name in ("accuracy-epsilon", "tuning"):
        assert PAPER.recipes[name].chart(alone) is None


def test_memory_and_accuracy_are_drawn_by_design_over_epsilon() -> None:
    chart, _ = charted("accuracy-epsilon", made_up_topk.document())
    measures = ("memory", "precision", "recall", "average relative error")
    assert list(chart.panels) == [f"{each}{more}" for each in measures for more in ("", ", items", ", pages")]
    assert {each["line"] for each in chart.rows} == set(made_up_topk.SPEEDS)
    values = {(each["panel"], each["x"]): each["y"] for each in chart.rows if each["line"] == "fast"}
    assert (values["memory", 0.01], values["memory", 0.0001]) == (10_000, 1_000_000)
    assert (values["precision", 0.01], values["precision", 0.0001]) == (50, 100)
    assert {(each["threads"], each["alpha"]) for each in chart.rows} == {(8, 1.5), (8, None)}


def test_latency_and_staleness_are_drawn_of_all_designs_that_are_asked() -> None:
    made = made_up_topk.document()
    chart, _ = charted("queries", made)
    of_zipf = [name for name in chart.panels if not name.endswith(("items", "pages"))]
    assert of_zipf == ["latency, p50", "latency, p99", "staleness, p50", "staleness, p99"]
    assert {each["line"] for each in chart.rows} == set(made_up_topk.SPEEDS)
    assert {each["y"] for each in chart.rows if (each["panel"], each["x"]) == ("staleness, p99", 8)} == {8192}
    assert {each["query_every"] for each in charted("updates", made)[0].rows if each["line"] == "fast"} == {0}
    made["runs"] = [run for run in made["runs"] if not run["query_every"]]
    assert PAPER.recipes["queries"].chart(made) is None


def test_results_without_measures_of_accuracy_have_no_figure_of_it() -> None:
    made = made_up_topk.document(repeats=2)
    for run in made["runs"]:
        for name in ("summary_bytes", "precision", "recall", "relative_error"):
            del run[name]
    assert not any(PAPER.recipes[name].chart(made) for name in PAPER.names if name.startswith("accuracy"))


def test_a_point_with_a_wrong_run_is_not_drawn_and_the_caption_names_it() -> None:
    made: dict[str, Any] = made_up_topk.document(repeats=2)
    bad = next(run for run in made["runs"] if (run["design"], run["threads"], run["alpha"]) == ("shared", 8, 2.5))
    bad |= {"verified": False, "seconds": None, "updates_per_second": None, "profile": None, "statistics": None}
    chart, text = charted("6", made)
    against = [each for each in chart.rows if each["panel"] == "cooperative against shared"]
    assert {(each["threads"], each["alpha"]) for each in against} == {(4, 1.5), (8, 1.5), (4, 2.5)}
    assert "because a run was wrong: shared, 8 threads, α 2.5, ε 0.0001." in text


def test_the_same_document_gives_the_same_bytes_and_nothing_to_draw_is_told(tmp_path: Path) -> None:
    made = made_up_topk.document(repeats=2)
    first, second = (figures.draw(made, tmp_path / each, only=("9b",)) for each in "ab")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    with pytest.raises(StreambenchError, match="`streambench bench topk`"):
        figures.draw(made | {"runs": []}, tmp_path)

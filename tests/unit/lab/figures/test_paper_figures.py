"""The paper's figures show the points of a sweep's document, verified ones, each where it belongs, and nothing else."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from made_up_sweep import JITTER, document, latencies, micro, runs, serial, skewed, whole
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from streambench.errors import OptionError, StreambenchError
from streambench.lab import figures
from streambench.lab.figures import files, lines, paper
from streambench.lab.figures.chart import Chart, picture
from streambench.lab.figures.selection import Mode, select
from streambench.lab.record import results
from streambench.lab.record.newest_result import newest, result_path

pytestmark = pytest.mark.slow  # many pictures

Rows = list[dict[str, str]]


def rows_of(path: Path) -> Rows:
    with path.open() as file:
        return list(csv.DictReader(file))


def chart_of(name: str, made: list[dict[str, Any]], cores: int = 4) -> Chart:
    chart = paper.FIGURES[name].chart(paper.FIGURES[name].select(select(document(made, cores))))
    assert chart is not None
    return chart


def values(chart: Chart, panel: str, line: str) -> dict[Any, float]:
    return {row["x"]: row["y"] for row in chart.rows if (row["panel"], row["line"]) == (panel, line)}


def marks(figure: Figure) -> list[tuple[str, float, float, float]]:
    """What the axes hold: line, y, and the ends of its error bar."""
    found = []
    for axes in figure.axes:
        for container in axes.containers:
            line, _, (errors,) = container.lines
            for y, segment in zip(line.get_ydata(), errors.get_segments(), strict=True):
                if math.isfinite(y):
                    found.append((container.get_label(), y, segment[0][1], segment[1][1]))
    return found


def test_every_figure_of_a_whole_sweep_comes_as_png_svg_and_csv(tmp_path: Path) -> None:
    told: list[str] = []
    written = figures.draw(document(whole(), 4), tmp_path, tell=told.append)
    names = [f"figure-{name}.{kind}" for name in paper.FIGURES for kind in ("png", "svg", "csv")]
    assert [path.name for path in written] == names
    assert list(paper.FIGURES) == ["8a", "8b", "9", "10", "11", "12a", "12b", "13a", "13b", "14"]
    assert told == []
    for path in written:
        assert path.suffix != ".png" or path.read_bytes().startswith(b"\x89PNG")
        assert path.suffix != ".svg" or ElementTree.parse(path).getroot().tag.endswith("svg")


def test_the_same_document_gives_the_same_svg(tmp_path: Path) -> None:
    made = document(whole(), 4)
    first, second = (figures.draw(made, tmp_path / name, ["9", "11"]) for name in ("a", "b"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@pytest.mark.parametrize("name", list(paper.FIGURES))
def test_the_csv_holds_what_is_drawn(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Figure] = []
    keep: Callable[..., list[Path]] = lambda figure, *_: drawn.append(figure) or []  # noqa: E731
    monkeypatch.setattr(files, "save", keep)
    (path,) = figures.draw(document(whole(), 4), tmp_path, [name])
    rows = rows_of(path)
    measured = [
        (row["line"], *(float(row[column]) for column in ("y", "y_low", "y_high")))
        for row in rows
        if row["x"] and row["line"] != "the operator's own cost"
    ]
    found = marks(drawn[0])
    assert len(found) > 3
    assert [label for label, *_ in sorted(found)] == [label for label, *_ in sorted(measured)]
    for ours, theirs in zip(sorted(found), sorted(measured), strict=True):
        assert ours[1:] == pytest.approx(theirs[1:])


def test_figure_8_has_a_line_per_heuristic_a_panel_per_query_and_serial_beside() -> None:
    chart = chart_of("8a", whole())
    assert list(chart.panels) == ["q1", "q2", "q3", "q4", "q15"]
    assert values(chart, "q2", "ct") == {1: 2e6, 2: 4e6, 4: 8e6}
    assert values(chart, "q2", "qst") == {1: 1e6, 2: 2e6, 4: 4e6}
    assert values(chart, "q2", "serial, unit 1024") == {None: 2e6}
    assert {row["line"] for row in chart.rows} == {"qst", "lp", "et", "ct", "walk", "serial, unit 1024"}
    assert "In units of 1, as the schemes, this sweep did not measure it." in chart.text
    assert {row["reorder"] for row in chart.rows} == {"nonblocking"}
    assert {row["partitioning"] for row in chart.rows} == {"hybrid"}
    chart = chart_of("8b", whole())
    assert values(chart, "q1", "lp") == {1: 1e-3, 2: 1e-3, 4: 1e-3}
    assert chart.panels["q1"].log


def test_figure_8_has_a_line_for_each_least_worklist_of_lp() -> None:
    chart = chart_of("8a", whole() + runs(3e6, query="q2", workers=2, heuristic="lp:8"))
    assert chart.lines == ["qst", "lp", "et", "ct", "walk", "lp:8"]
    assert values(chart, "q2", "lp:8") == {2: 3e6}


def test_figure_8_draws_serial_in_units_of_one_beside_the_schemes_units_of_one() -> None:
    chart = chart_of("8a", whole() + serial(1.1e6, query="q2", unit=1))
    assert values(chart, "q2", "serial, unit 1") == {None: 1.1e6}
    assert values(chart, "q2", "serial, unit 1024") == {None: 2e6}
    assert "Grey: the serial engine in units of 1 and of 1024." in chart.text
    assert "did not measure" not in chart.text
    assert "The serial engine was not measured." in chart_of("8a", runs()).text


def test_figure_9_has_a_line_per_sigma_and_a_panel_per_scheme() -> None:
    chart = chart_of("9", skewed())
    assert values(chart, "hybrid", "sigma 0.1") == pytest.approx({1: 1, 2: 2, 4: 4})
    assert values(chart, "partitioned", "sigma 0.1") == pytest.approx({1: 1, 2: 2, 4: 1.6})
    assert values(chart, "partitioned", "sigma 1") == pytest.approx({1: 1, 2: 2, 4: 4})
    assert list(chart.panels) == ["hybrid", "partitioned"]
    assert "Not drawn" not in chart.text


def test_figure_9_leaves_out_what_skew_cannot_make_uneven_and_says_so() -> None:
    """Two ranges of N(0, sigma) hold half of the keys each, whatever sigma: lines of them would show noise as skew."""
    chart = chart_of("9", skewed(ranges=1))
    assert {row["workers"] for row in chart.rows if row["panel"] == "hybrid"} == {1, 2, 4, None}
    assert {row["workers"] for row in chart.rows if row["panel"] == "partitioned"} == {4, None}
    assert "Not drawn: partitioned with 1 and 2 workers; with one range or two nothing is uneven" in chart.text
    assert list(chart_of("9", skewed(2, ranges=1), 2).panels) == ["hybrid"]


def test_figure_10_is_latency_over_cost_at_the_most_workers() -> None:
    fewer = runs(1e4, 77.0, micro=micro(("ps", 10.0, 1.0)), workers=1)
    chart = chart_of("10", latencies() + fewer)
    assert values(chart, "", "hybrid") == pytest.approx({1e-5: 1.2e-5, 1e-4: 1.2e-4, 1e-3: 1.2e-3, 1e-2: 1.2e-2})
    assert values(chart, "", "the operator's own cost") == {cost: cost for cost in (1e-5, 1e-4, 1e-3, 1e-2)}
    assert list(chart.lines) == ["hybrid", "partitioned", "shared"]


def test_figure_10_counts_the_cost_of_a_whole_unit() -> None:
    chart = chart_of("10", runs(1e4, 1e-3, micro=micro(("ps", 10.0, 1.0)), unit=64))
    assert values(chart, "", "hybrid") == pytest.approx({64e-5: 1e-3})


def test_figures_11_and_14_take_the_workers_of_the_highest_throughput() -> None:
    best = runs(5e6, 3e-3, query="q1", workers=2)
    more = runs(4e6, 9e-3, query="q1", workers=4)
    for name, panels in (("11", {"throughput": 5e6, "latency": 3e-3}), ("14", {"throughput": 5e6})):
        chart = chart_of(name, best + more)
        assert {row["panel"]: row["y"] for row in chart.rows} == panels
        assert {row["workers"] for row in chart.rows} == {2}
        assert (
            "at its peak among the numbers of workers that all schemes were measured with. Those are 2 and 4 workers;"
            in chart.text
        )
        for axes in picture(chart, "").axes:
            assert [text.get_text() for text in axes.texts] == ["2"], "the number of workers beside the mark"


def test_cost_per_tuple_is_the_first_operators_worker_time() -> None:
    chart = chart_of("12b", whole())
    assert values(chart, "10 µs", "nonblocking") == pytest.approx({1: 1e-5, 2: 1e-5, 4: 1e-5})
    assert values(chart, "10 µs", "lock") == pytest.approx({1: 1e-5, 2: 1e-5 / 0.7, 4: 1e-5 / 0.7})
    chart = chart_of("13b", whole())
    for routed, factor in (("early", 1.0), ("in order", 0.7)):
        found = values(chart, f"100 µs, selectivity 50, routed {routed}", "ticket")
        assert found[4] == pytest.approx(1e-5 / factor)


def test_speed_up_is_paired_by_repeat_with_serial() -> None:
    spec = micro(("sl", 10.0, 1.0))
    slowing = (1.0, 0.8, 0.6, 0.4, 0.3, 0.2)  # a machine that gets slower: both sides of each pair alike
    chart = chart_of("12a", serial(1e5, micro=spec, jitter=slowing) + runs(2e5, micro=spec, jitter=slowing))
    (row,) = (row for row in chart.rows if row["line"] == "nonblocking")
    assert (row["y"], row["y_low"], row["y_high"], row["repeats"]) == pytest.approx((2.0, 2.0, 2.0, 6))


def test_of_several_partitions_the_fastest_is_drawn() -> None:
    made = [run for count, speed in ((1, 1e6), (16, 3e6), (64, 2e6)) for run in runs(speed, partitions=count)]
    (row,) = chart_of("8a", made).rows
    assert (row["y"], row["partitions"]) == (3e6, 16)


def test_one_repeat_has_a_point_and_no_interval() -> None:
    (row,) = chart_of("8a", runs(jitter=(1.0,))).rows
    assert (row["y"], row["y_low"], row["y_high"], row["repeats"]) == (1e6, None, None, 1)


def test_a_wrong_run_takes_its_point_away_and_the_caption_says_so(tmp_path: Path) -> None:
    good = [run for workers in (1, 2) for run in runs(query="q1", workers=workers, heuristic="lp")]
    bad = runs(9e9, query="q1", workers=4, heuristic="lp")
    bad[3] |= {"sequence_ok": False, "throughput": None, "latency": None}
    made = document(good + bad, 4)
    svg, table = figures.draw(made, tmp_path, ["8a"])[1:]
    assert {row["workers"] for row in rows_of(table)} == {"1", "2"}
    text = " ".join("".join(element.itertext()) for element in ElementTree.parse(svg).iter())
    assert "because a run was wrong: q1 (lp, nonblocking, hybrid, 4" in " ".join(text.split())


def test_without_a_right_serial_run_there_is_no_speed_up(tmp_path: Path) -> None:
    made = skewed()
    for run in made:
        run["answer_ok"] = run["answer_ok"] and run["engine"] != "serial"
    with pytest.raises(StreambenchError, match="nothing to draw"):
        figures.draw(document(made), tmp_path, ["9"])


def test_a_figure_without_points_is_not_drawn_and_told_with_the_sweep_that_measures_it(tmp_path: Path) -> None:
    told: list[str] = []
    written = figures.draw(document(skewed()), tmp_path, tell=told.append)
    assert {path.stem for path in written} == {"figure-9"}
    assert [sentence.split(" is not drawn")[0] for sentence in told] == [
        f"figure {name}" for name in paper.FIGURES if name != "9"
    ]
    assert "`streambench bench sweep --preset paper --figures 8` measures it" in told[0]


def test_only_measured_workers_are_on_the_axis() -> None:
    made = [run for workers in (1, 2, 3, 16) for run in runs(workers=workers)]
    figure = picture(chart_of("8a", made), "")
    assert list(figure.axes[0].get_xticks()) == [1, 2, 3, 16]
    names = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert names[-1] == "16"
    assert set(names) <= {"", "1", "2", "3", "16"}


def test_a_serial_engine_far_above_all_lines_is_told_in_words_and_does_not_flatten_them() -> None:
    axes = picture(chart_of("8a", runs(1e6) + serial(9e7)), "").axes[0]
    assert axes.get_ylim()[1] < 2e6
    assert [text.get_text() for text in axes.texts] == ["serial, unit 1024: 90 M \N{UPWARDS ARROW}"]
    axes = picture(chart_of("8a", runs(1e6) + serial(1.5e6)), "").axes[0]
    assert axes.get_ylim()[1] > 1.5e6
    assert [text.get_text() for text in axes.texts] == ["serial, unit 1024"]
    axes = picture(chart_of("8a", runs(1e6) + serial(9e7) + serial(8e7, unit=1)), "").axes[0]
    assert len(axes.texts) == len({text.xyann for text in axes.texts}) == 2, "one below the other"


def test_lines_can_be_told_apart_in_grey() -> None:
    figure = picture(chart_of("8a", whole()), "")
    for axes in figure.axes:
        drawn = [container.lines[0] for container in axes.containers]
        assert len({line.get_marker() for line in drawn}) == len(drawn)
        assert len({str(line._unscaled_dash_pattern) for line in drawn}) == len(drawn)
    looks = {
        (each["marker"], str(each["linestyle"]), each["markerfacecolor"] == "white")
        for each in map(lines.look, range(16))
    }
    assert len(looks) == 16


def test_a_line_looks_the_same_whatever_else_was_measured() -> None:
    alone = picture(chart_of("8a", runs(heuristic="et")), "").axes[0].containers[0].lines[0]
    among = picture(chart_of("8a", whole()), "").axes[0].containers[2].lines[0]
    assert (alone.get_marker(), alone.get_color()) == (among.get_marker(), among.get_color())


def test_each_unit_size_has_its_own_set(tmp_path: Path) -> None:
    made = [run for unit, fuse in ((256, True), (1, False), (1, True)) for run in runs(unit=unit, fuse=fuse)]
    written = figures.draw(document(made), tmp_path, ["8a"])
    stems = [path.stem for path in written if path.suffix == ".csv"]
    assert stems == ["figure-8a", "figure-8a-unit1-fused", "figure-8a-unit256"]
    assert paper.suffix(Mode(4, True), [Mode(1, False), Mode(4, True)]) == "-unit4"


def test_the_caption_tells_where_and_how_it_was_measured() -> None:
    made = document(runs(workers=4), 2)
    selection, chart = paper.chart_of(paper.FIGURES["8a"], select(made), Mode(1, False))
    assert chart is not None
    text = paper.caption("8a", made, Mode(1, False), chart, selection)
    for part in (
        *("Example 9000, 2 cores", "(0123456789ab), 2030-01-02", "scale factor 0.5", "9 repeats", "Tuple by tuple"),
        *(
            "every operator by itself",
            "error bars are 96.1 % confidence intervals",
            "More workers than cores",
            "nothing simulated",
            "not a TPC result",
        ),
    ):
        assert part in text
    assert "Not drawn" not in text


def test_eight_means_both_of_figure_8_and_other_names_are_refused(tmp_path: Path) -> None:
    assert {path.stem for path in figures.draw(document(runs()), tmp_path, ["8"])} == {"figure-8a", "figure-8b"}
    with pytest.raises(OptionError, match="there is no figure 17"):
        figures.draw(document(runs()), tmp_path, ["17"])
    with pytest.raises(OptionError, match="figure scaling is drawn from a result of `streambench bench queries`"):
        figures.draw(document(runs()), tmp_path, ["scaling"])
    with pytest.raises(StreambenchError, match=r"kind 'other' cannot be drawn: .*`bench sweep` \(also --simulated\)"):
        figures.draw(document(runs()) | {"kind": "other"}, tmp_path)


def test_a_document_that_lacks_a_field_is_refused_in_one_sentence() -> None:
    made = document(runs())
    del made["runs"][1]["heuristic"]
    with pytest.raises(StreambenchError, match="run 1 of the result file lacks heuristic"):
        select(made)


def test_the_newest_file_of_a_kind_is_found(tmp_path: Path) -> None:
    sweep = results.write(document(runs()), tmp_path)
    later = document(runs()) | {"kind": "other", "created": "2031-01-01T00:00:00+00:00"}
    results.write(later, tmp_path)
    assert newest(tmp_path, ("bench", "sweep")) == sweep
    assert result_path(str(tmp_path), ("sweep",)) == sweep
    assert result_path("some.json", ("sweep",)) == Path("some.json")
    with pytest.raises(StreambenchError, match="no result file of `streambench bench queries` in"):
        newest(tmp_path, ("bench",))


def test_peaks_compare_schemes_only_at_numbers_of_workers_that_all_were_measured_at() -> None:
    """Hybrid was measured with one worker, too, for figure 8, and may be fastest there: that is no peak to compare."""
    alone = runs(9e6, query="q1", workers=1, partitioning="hybrid")
    both = runs(5e6, query="q1", workers=2, partitioning="hybrid")
    both += runs(4e6, query="q1", workers=2, partitioning="partitioned")
    chart = chart_of("11", alone + both)
    assert values(chart, "throughput", "hybrid") == {"q1": 5e6}
    assert values(chart, "throughput", "partitioned") == {"q1": 4e6}


def points_of(axes: Any) -> list[tuple[float, float]]:
    """The small points: single runs."""
    return [
        tuple(place) for each in axes.collections if isinstance(each, PathCollection) for place in each.get_offsets()
    ]


def test_the_runs_behind_every_median_are_drawn_beside_it() -> None:
    figure = picture(chart_of("8a", runs(1e6, workers=1) + runs(2e6, workers=2)), "")
    drawn = points_of(figure.axes[0])
    assert sorted(y for _, y in drawn) == pytest.approx(sorted([*(1e6 * each for each in JITTER), *TWICE]))
    assert {round(x, 6) for x, _ in drawn} == {1.0, 2.0}
    single = picture(chart_of("8a", runs(jitter=(1.0,))), "")
    assert points_of(single.axes[0]) == [], "the mark is the run"


TWICE = tuple(2e6 * each for each in JITTER)


def far_apart(near: float, far: float) -> list[dict[str, Any]]:
    """Runs of which every second one had far cores."""
    made = runs(workers=2)
    for number, run in enumerate(made):
        run["core_round_trip_ns"] = far if number % 2 else near
    return made


def test_runs_are_coloured_by_the_cores_distance_where_that_makes_groups() -> None:
    figure = picture(chart_of("8a", far_apart(60.0, 350.0)), "")
    scale = next(axes for axes in figure.axes if axes.get_label() == "distance")
    assert [label.get_text() for label in scale.get_xticklabels()] == ["60 ns", "145 ns", "350 ns"]
    (drawn,) = (each for each in figure.axes[0].collections if isinstance(each, PathCollection))
    colours = [tuple(colour) for colour in drawn.get_facecolors()]
    assert len(set(colours)) == 2
    assert colours[0] == colours[2] != colours[1]
    alike = picture(chart_of("8a", far_apart(60.0, 70.0)), "")
    assert "distance" not in [axes.get_label() for axes in alike.axes]
    (drawn,) = (each for each in alike.axes[0].collections if isinstance(each, PathCollection))
    assert len({tuple(colour) for colour in drawn.get_facecolors()}) == 1


def test_near_and_far_differ_in_grey() -> None:
    from streambench.lab.figures.raw_points import Distances

    shades = [Distances(50.0, 500.0).colours().to_rgba(each) for each in (50, 100, 200, 500)]
    light = [0.3 * red + 0.59 * green + 0.11 * blue for red, green, blue, _ in shades]
    assert light == sorted(light)
    assert light[-1] - light[0] > 0.4


def test_the_csv_holds_every_run_with_its_distance(tmp_path: Path) -> None:
    (row,) = rows_of(figures.draw(document(far_apart(60.0, 350.5)), tmp_path, ["8a"])[2])
    assert [float(value) for value in row["values"].split()] == [1e6 * each for each in JITTER]
    assert row["core_round_trips_ns"].split() == ["60.0" if place % 2 == 0 else "350.5" for place in range(len(JITTER))]


def test_fewer_than_six_runs_have_points_and_no_interval() -> None:
    for count, bars in ((5, False), (6, True)):
        (row,) = chart_of("8a", runs(jitter=JITTER[:count])).rows
        assert (row["y_low"] is not None, row["y_high"] is not None) == (bars, bars)
        assert len(row["values"]) == row["repeats"] == count

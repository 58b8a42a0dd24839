"""The profile and the timeline of the paper's schemes: what is counted adds up, and a picture is drawn of it."""

from __future__ import annotations

import io
import itertools
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from streambench.pyx.schemes.schemes_engine import SchemesEngine
from streambench.pyx.schemes.timeline import Timeline

import streambench
import streambench.lab
from streambench.execution.options import HEURISTICS, PARTITIONINGS, REORDERS
from streambench.lab.figures import timeline
from streambench.lab.show.profile_table import profile_table, shares
from streambench.pyx.machine.clock import ticks_per_second
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

TUPLES = 20_000


def pipeline(probes: Any) -> streambench.Pipeline:
    keys = np.arange(TUPLES) % 100
    source = TableSource([keys, np.arange(TUPLES)], ["key", "value"])
    return streambench.Pipeline([source, probes.Map(), probes.KeyedSum(), TableSink(keep=False)])


def run(probes: Any, **options: Any) -> streambench.lab.RunResult:
    made = pipeline(probes).run(profiled=True, fuse=False, workers=3, **options)
    assert made.tuples == TUPLES
    return made


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_samples_are_taken_in_order_and_what_is_cumulated_never_falls(probes: Any, heuristic: str) -> None:
    samples = run(probes, heuristic=heuristic, unit=1).timeline
    assert samples is not None
    assert len(samples["at"]) >= 1
    assert (np.diff(samples["at"]) > 0).all()
    for name in ("seconds", "tuples_in", "refused", "waiting", "retries", "contended"):
        assert samples[name].shape == (len(samples["at"]), 4)
        assert (np.diff(samples[name], axis=0) >= 0).all(), name
    assert (samples["workers"] >= 0).all()
    assert (samples["workers"] <= 3).all()


@pytest.mark.parametrize("reorder", REORDERS)
@pytest.mark.parametrize("partitioning", PARTITIONINGS)
def test_the_profile_counts_every_tuple_once(probes: Any, reorder: str, partitioning: str) -> None:
    profile = run(probes, reorder=reorder, partitioning=partitioning, unit=7).profile
    assert [stage["tuples_in"] for stage in profile][:2] == [TUPLES, TUPLES]
    for before, after in itertools.pairwise(profile):
        assert before["tuples_out"] == after["tuples_in"]
        assert set(before["reorder"]) == {"refused", "waiting", "retries", "contended"}
    assert profile[-1]["reorder"] == {}
    assert sum(shares(profile)) == pytest.approx(1.0)
    assert all(stage["seconds"] > 0 and stage["visits"] > 0 for stage in profile)


def test_without_profiling_nothing_is_sampled(probes: Any) -> None:
    assert pipeline(probes).run(workers=2).timeline is None


@pytest.mark.parametrize("most", [2, 7, 64])
def test_the_samples_are_thinned_when_there_are_too_many(
    probes: Any, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Every visit is due, and there are more than are held: every second sample goes, again and again."""
    kept: list[Timeline] = []

    class Engine(SchemesEngine):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            kept.append(Timeline(4, 1e-9, most))
            self.timeline = kept[0]

    monkeypatch.setattr("streambench.lab.schemes.SchemesEngine", Engine)
    made = run(probes, unit=1, heuristic="ct", time_slice=1e-6)
    samples, (held,) = made.timeline, kept
    assert samples is not None
    assert 0 < len(samples["at"]) <= most
    first = Timeline(4, 1e-9, most).interval
    assert sum(stage["visits"] for stage in made.profile) > 4 * most
    assert first > 0
    assert held.interval >= 2 * first, "it was never full"
    # Those that are left are spread over the run: a sample that was due when the interval doubled may come early.
    assert (np.diff(samples["at"]) * ticks_per_second() > 0.49 * held.interval).all()
    for name in ("seconds", "tuples_in"):
        assert samples[name].shape == (len(samples["at"]), 4)
        assert (np.diff(samples[name], axis=0) >= 0).all(), name
    assert (samples["tuples_in"][:, 0] <= TUPLES).all()


def test_the_profile_table_names_every_stage_and_its_events(probes: Any) -> None:
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(profile_table(run(probes).profile))
    text = console.export_text()
    for word in ("TableSource", "Map", "KeyedSum", "TableSink", "share", "refused", "contended", "20.0 k"):
        assert word in text


@pytest.mark.slow
@pytest.mark.parametrize("kind", timeline.FORMATS)
def test_the_timeline_is_drawn_in_every_format(probes: Any, kind: str) -> None:
    made = run(probes, unit=1)
    assert made.timeline is not None
    file = io.BytesIO()
    timeline.write(file, kind, made.timeline, [stage["operators"][0] for stage in made.profile], "a title")
    assert file.getvalue()[:4] in (b"\x89PNG", b"<?xm", b"%PDF")


def test_every_stage_has_its_own_area_line_and_name() -> None:
    at = np.linspace(0, 1, 50)
    each = np.outer(at, [1.0, 2.0, 1.0])
    samples = {"at": at, "seconds": each, "queued": each, **dict.fromkeys(timeline.EVENTS, each)}
    figure = timeline.draw(samples, ["source", "work", "sink"], "a title")
    top, middle, bottom = figure.axes
    assert [area.get_label() for area in top.collections] == ["source", "work", "sink"]
    tops = [area.get_paths()[0].get_extents().ymax for area in top.collections]
    assert tops == pytest.approx([0.25, 0.75, 1.0])
    assert [line.get_label() for line in middle.lines] == ["work", "sink"]
    assert len({line.get_linestyle() for line in bottom.lines}) == 4

"""Lanes of workers: every visit is in them once, none overlaps another, and Perfetto reads the trace of them."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streambench.pyx.engine.worker_log import WorkerLogs

import streambench
import streambench.lab
from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.lab.figures import lanes as lanes_figure
from streambench.lab.record.lanes import Activity, Lanes, Span, lanes
from streambench.lab.show import timeline_file, trace_events
from streambench.lab.show.timeline_file import run_lanes
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

TUPLES = 2_000  # of which a log holds all visits, even tuple by tuple
WORKERS = 3
EXECUTIONS: dict[str, dict[str, Any]] = {
    "serial engine": {"engine": "serial"},
    "chosen plans": {},
    "whole": {"plan": "whole"},
    "cut": {"plan": "cut"},
    "shards": {"plan": "sharded", "partitions": 5},
    "shards of one tuple": {"plan": "sharded", "partitions": 5, "unit": 1},
}
COLUMNS = ("worker", "head", "tail", "shard", "begin", "end", "busy", "units", "visits")
EACH = pytest.mark.parametrize("how", EXECUTIONS.values(), ids=list(EXECUTIONS))


def pipeline(probes: Any) -> streambench.Pipeline:
    source = TableSource([np.arange(TUPLES) % 100, np.arange(TUPLES)], ["key", "value"])
    return streambench.Pipeline([source, probes.Map(), probes.KeyedSum(), probes.Number(2), TableSink(keep=False)])


def run(probes: Any, **options: Any) -> streambench.lab.RunResult:
    usual = {"workers": WORKERS, "unit": 64, "pin": False}
    made = pipeline(probes).run(profiled=True, **{**usual, **options})
    assert made.tuples == TUPLES
    return made


def by_worker(found: Lanes) -> dict[int, list[Span]]:
    return {worker: [span for span in found.spans if span.worker == worker] for worker in found.workers}


@EACH
def test_spans_of_a_worker_do_not_overlap_and_lie_within_the_run(probes: Any, how: dict[str, Any]) -> None:
    made = run(probes, **how)
    found = by_worker(run_lanes(made))
    assert list(found) == list(range(made.working)), "who only waited has a lane, too"
    assert any(found.values())
    for spans in found.values():
        assert all(0 <= span.begin <= span.end <= made.seconds * 1.05 + 1e-3 for span in spans)
        assert all(before.end <= after.begin for before, after in itertools.pairwise(spans))
        assert all(span.visits == 1 and span.busy == pytest.approx(span.end - span.begin) for span in spans)


@EACH
def test_the_units_in_the_lanes_are_the_calls_that_the_meters_count(probes: Any, how: dict[str, Any]) -> None:
    """Whole units: an operator's calls. Shards: all units go through every one of them."""
    made = run(probes, **how)
    found = run_lanes(made)
    units = made.profile[0]["visits"]
    for place, stage in enumerate(made.profile):
        seen: Counter[int] = Counter()
        for span in found.spans:
            if span.activity.head <= place < span.activity.tail:
                seen[span.activity.shard if place == span.activity.head else -1] += span.units
        shards = [number for number in seen if number >= 0]
        whole = seen[-1]
        if not shards:
            assert whole == stage["visits"] == units, stage
        elif made.choices and len({choice["plan"] for choice in made.choices}) == 1:
            assert whole == 0
            assert {seen[number] for number in shards} == {units}


def test_a_segment_is_named_by_its_operators_and_a_shard_by_its_number(probes: Any) -> None:
    found = run_lanes(run(probes, plan="2*", partitions=4))
    assert {(found.kind(span.activity), found.title(span.activity)) for span in found.spans} == {
        ("admission", "TableSource + Map"),
        *(("shard", f"KeyedSum, shard {k}") for k in range(4)),
        ("segment", "Number + TableSink"),
    }
    whole = run_lanes(run(probes, plan="whole"))
    assert {(whole.kind(span.activity), whole.title(span.activity)) for span in whole.spans} == {
        ("whole", "TableSource + Map + KeyedSum + Number + TableSink")
    }
    alone = run_lanes(run(probes, engine="serial"))
    assert alone.workers == [0]
    assert {alone.title(span.activity) for span in alone.spans} == set(alone.names)


@pytest.mark.parametrize("how", [{"engine": "serial"}, {"plan": "sharded"}, {"plan": "whole"}])
def test_what_an_operator_holds_until_the_end_is_flushed_in_the_lanes(probes: Any, how: dict[str, Any]) -> None:
    source = TableSource([np.arange(900) % 90, np.arange(900)], ["key", "value"])
    held = streambench.Pipeline([source, probes.KeyedHold(burst=True), TableSink(keep=False)])
    made = held.run(profiled=True, workers=2, unit=16, pin=False, **how)
    found = run_lanes(made)
    flushed = [span for span in found.spans if found.kind(span.activity) == "flush"]
    assert flushed
    assert {span.activity.head for span in flushed} == {1}
    admitted = sum(span.units for span in found.spans if span.activity.head == 0)
    # The sink was called for every unit of the stream, and for every one that was flushed.
    assert admitted + sum(span.units for span in flushed) == made.profile[2]["visits"]


def test_operators_of_one_name_are_told_apart_by_their_places() -> None:
    found = lanes({name: [] for name in COLUMNS}, ["Source", "Map", "Map", "Sink"], [], serial=False)
    assert found.names == ("Source", "Map (1)", "Map (2)", "Sink")


@pytest.mark.slow
@pytest.mark.parametrize("most", [2, 9, 64])
@pytest.mark.parametrize("plan", ["cut", "sharded", "whole"])
def test_a_full_log_joins_neighbours_and_loses_no_unit_and_no_work(
    probes: Any, monkeypatch: pytest.MonkeyPatch, plan: str, most: int
) -> None:
    from streambench.pyx.ordered.ordered_engine import OrderedEngine

    class Engine(OrderedEngine):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.logs = WorkerLogs(options["workers"], most)

    whole = Counter(span.activity for span in run_lanes(run(probes, plan=plan, unit=1)).spans)
    monkeypatch.setattr("streambench.execution.engines.OrderedEngine", Engine)
    made = run(probes, plan=plan, unit=1)
    found = run_lanes(made)
    kinds = {"cut": 4, "whole": 1}.get(plan)
    for spans in by_worker(found).values():
        assert len(spans) <= most
        assert all(before.end <= after.begin for before, after in itertools.pairwise(spans))
        assert all(0 < span.busy <= (span.end - span.begin) * (1 + 1e-9) for span in spans)
        assert {span.activity for span in spans} <= set(whole)
    assert any(span.visits > 1 for span in found.spans)
    if kinds:  # every unit was brought on so many times
        assert sum(span.units for span in found.spans) == kinds * TUPLES
    if plan == "whole":
        assert sum(span.visits for span in found.spans) == TUPLES


def test_a_log_of_one_span_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        WorkerLogs(1, 1)


def test_nothing_is_logged_without_profiling_and_asking_for_lanes_then_is_refused(probes: Any) -> None:
    for how in ({}, {"engine": "serial"}):
        made = pipeline(probes).run(workers=2, **how)
        assert made.timeline is None
        with pytest.raises(OptionError, match="run it profiled"):
            run_lanes(made)
    with pytest.raises(OptionError, match="not by the paper's schemes"):
        run_lanes(run(probes, heuristic="ct"))


@EACH
def test_the_trace_is_one_that_perfetto_reads(probes: Any, how: dict[str, Any]) -> None:
    """The Trace Event Format: what each kind of event must hold, and every thread named once."""
    made = run(probes, **how)
    file = io.BytesIO()
    trace_events.write(file, run_lanes(made), "a title")
    whole = json.loads(file.getvalue())
    assert whole["displayTimeUnit"] in ("ms", "ns")
    events = whole["traceEvents"]
    assert {event["ph"] for event in events} <= {"X", "i", "M"}
    named = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    threads = [event["tid"] for event in events if event["name"] == "thread_name"]
    assert len(threads) == len(set(threads))
    assert sum(event["name"] == "process_name" for event in events) == 1
    ends: dict[int, float] = {}
    for event in events:
        assert isinstance(event["name"], str)
        assert isinstance(event["pid"], int)
        assert event["tid"] in named or event["name"] == "process_name"
        assert isinstance(event["args"], dict)
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name", "thread_sort_index")
            continue
        assert isinstance(event["cat"], str)
        assert event["ts"] >= 0
        if event["ph"] == "i":
            assert event["s"] in ("g", "p", "t")
            assert named[event["tid"]] == "controller"
            continue
        assert event["dur"] >= 0
        assert named[event["tid"]] == f"worker {event['tid'] - 1}"
        begin = round(1000 * event["ts"])
        assert begin >= ends.get(event["tid"], 0)
        ends[event["tid"]] = begin + round(1000 * event["dur"])
    decisions = [event for event in events if event["ph"] == "i"]
    assert [(event["name"], event["args"]["unit"]) for event in decisions] == [
        (choice["plan"], choice["unit"]) for choice in made.choices
    ]
    assert ("controller" in named.values()) == bool(made.choices)


def made_up(spans: list[Span], choices: list[dict[str, Any]] | None = None) -> Lanes:
    return Lanes(("Source", "Sum", "Sink"), tuple(spans), tuple(choices or []))


SUM, SINK, SHARD = Activity(1, 2, -1), Activity(2, 3, -1), Activity(1, 2, 3)
SPREAD = ((0.0, SUM), (0.3, SINK), (0.6, SHARD))


def test_a_slot_holds_the_part_of_it_that_was_spent_on_an_activity() -> None:
    found = made_up(
        [
            Span(0, SUM, 0.0, 0.5, 0.5, 1, 1),
            Span(0, SINK, 0.5, 1.0, 0.5, 1, 1),
            Span(0, SUM, 2.0, 4.0, 1.0, 5, 3),  # joined: half of it was work
            Span(1, SUM, 1.0, 3.0, 2.0, 1, 1),
        ]
    )
    edges = np.arange(5.0)
    assert lanes_figure.shares(found, 0, SUM, edges) == pytest.approx([0.5, 0, 0.5, 0.5])
    assert lanes_figure.shares(found, 0, SINK, edges) == pytest.approx([0.5, 0, 0, 0])
    assert lanes_figure.shares(found, 1, SUM, edges) == pytest.approx([0, 1, 1, 0])
    assert lanes_figure.shares(found, 1, SINK, edges) == pytest.approx([0, 0, 0, 0])


def test_the_picture_has_a_lane_for_each_worker_and_the_plans_above() -> None:
    choices = [
        {"number": 0, "seconds": 0.0, "unit": 16, "in_flight": 8, "plan": "whole"},
        {"number": 1, "seconds": 0.5, "unit": 64, "in_flight": 8, "plan": "Source | Sum x4 | Sink"},
        {"number": 2, "seconds": 0.7, "unit": 99, "in_flight": 8, "plan": "Source | Sum x4 | Sink"},
    ]
    spans = [Span(worker, activity, at, at + 0.2, 0.2, 1, 1) for worker in (0, 2) for at, activity in SPREAD]
    figure = lanes_figure.draw(made_up(spans, choices), "a title")
    strip, *workers = figure.axes
    assert [axes.get_ylabel() for axes in workers] == ["worker 0", "worker 2"]
    assert [text.get_text() for text in strip.texts] == ["1", "2", "controller"]
    assert sum(len(each.get_segments()) for each in strip.collections) == 3
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        *("segment: Sum", "shards: Sum, the first darkest", "segment: Sink", "idle")
    ]
    assert any("plan 2: Source | Sum x4 | Sink" in text.get_text() for text in figure.texts)
    assert len(lanes_figure.draw(made_up(spans), "no controller").axes) == 2
    assert lanes_figure.draw(made_up([]), "nothing").axes[0].texts[0].get_text() == "no worker did anything"


def test_a_plan_is_drawn_for_as_long_as_it_is_known_to_have_been_in_force() -> None:
    """Of very many choices the first and the latest are kept: in between nobody knows which plan ran."""
    at = ((0, 0.0, "whole"), (1, 0.1, "whole"), (2, 0.2, "cut"), (90, 0.7, "whole"), (91, 0.9, "cut"))
    choices = [{"number": k, "seconds": t, "unit": 1, "in_flight": 8, "plan": plan} for k, t, plan in at]
    spans = [("whole", 0.0, 0.2), ("whole", 0.7, 0.9), ("cut", 0.9, 1.0)]
    assert lanes_figure.reigns(made_up([], choices), 1.0) == spans


@pytest.mark.slow
@pytest.mark.parametrize("kind", timeline_file.FORMATS)
def test_the_ending_chooses_picture_table_or_trace(probes: Any, kind: str) -> None:
    made = run(probes)
    file = io.BytesIO()
    timeline_file.writer(Path(f"lanes.{kind}"), Options(), made)(file)
    written = file.getvalue()
    if kind in timeline_file.PICTURES:
        assert written[:4] in (b"\x89PNG", b"<?xm", b"%PDF")
    elif kind == "json":
        assert len(json.loads(written)["traceEvents"]) > len(made.choices)
    else:
        rows = list(csv.DictReader(io.StringIO(written.decode())))
        found = run_lanes(made)
        assert len(rows) == len(found.spans) + len(made.choices)
        assert [int(row["units"]) for row in rows if row["worker"]] == [span.units for span in found.spans]
        assert [row["what"] for row in rows if row["kind"] == "decision"] == [choice["plan"] for choice in made.choices]


def test_an_ending_that_cannot_be_met_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"must end in \.png, \.svg, \.pdf, \.csv, \.json"):
        timeline_file.check_format(tmp_path / "picture.bmp", Options())
    for kind in ("csv", "json"):
        with pytest.raises(OptionError, match="the paper's schemes log none"):
            timeline_file.check_format(tmp_path / f"lanes.{kind}", Options(heuristic="ct"))

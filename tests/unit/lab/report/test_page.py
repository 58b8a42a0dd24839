"""The page has a section for whatever the results hold and for nothing else, stands alone, and says what it shows."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import made_up_perf
import made_up_results
import made_up_simulation
import numpy as np
import pytest
from own_pipelines import own_module

import streambench.lab
from streambench.errors import StreambenchError
from streambench.execution.latency_histogram import encoded
from streambench.lab.record import results
from streambench.lab.report import percentiles, verdicts
from streambench.lab.report.inline_svg import colour
from streambench.lab.report.named_document import NamedDocument, read, simulated_sentence
from streambench.lab.report.page import page, sections
from streambench.lab.report.worker_time import costs

VOID = {"meta", "link"}
ALWAYS = ["summary", "machine", "method"]


class Outline(HTMLParser):
    """The tags of a page, with what is open; its ids, links and drawings."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.drawings: list[dict[str, str | None]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name in ("href", "src") and value]
        self.drawings += [found] if tag == "svg" else []
        self.open += [] if tag in VOID else [tag]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def given(folder: Path, documents: dict[str, dict[str, Any]]) -> list[NamedDocument]:
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document))
    return read([folder / name for name in documents])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    every = made_up_results.every()
    for name in ("join.json", "topk.json"):  # some figures, as each takes its time
        plain = [run for run in every[name]["runs"] if run.get("measure", "") != "gate" and not run.get("instrumented")]
        every[name]["runs"] = plain
    return page(given(tmp_path_factory.mktemp("results"), every))


@pytest.mark.slow
def test_every_kind_of_result_has_its_section(whole: str) -> None:
    found = re.findall(r'<section id="([\w-]+)"', whole)
    wanted = ["gate", "comparisons", "throughput", "load", "percentiles", "worker-time", "claims", "figures", "targets"]
    assert found == ["summary", *wanted, "joins", "topk", "peers", "machine", "method"]
    assert [each[1:] for each in re.findall(r'<li><a href="(#[\w-]+)"', whole)] == found
    assert "others were at work" in whole
    assert "2 of 3 targets met" in whole
    assert "no: another answer" in whole
    assert "Highest rate with p99 within 5.00 ms of arrival" in whole
    assert "Base 0123456789ab, new fedcba987654: inconclusive." in whole


@pytest.mark.slow
def test_the_page_stands_alone_is_well_formed_and_tells_every_drawing_in_words(whole: str) -> None:
    outline = Outline(whole)
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))
    targets = {f"#{each}" for each in outline.ids}
    assert [each for each in outline.links if each != "data:," and each not in targets] == []
    assert set(re.findall(r"url\((.*?)\)", whole)) <= {f"#{each}" for each in outline.ids}
    assert "@import" not in whole
    assert len(outline.drawings) > 10
    assert all(each["role"] == "img" and each["aria-label"] for each in outline.drawings)
    assert "Throughput: tuples per second over workers. q1: serial: 1 M, 1: 990 k, 2: 1.9 M." in whole


def test_streams_that_change_are_drawn_and_told_in_words(tmp_path: Path) -> None:
    document = made_up_perf.document()
    document["runs"][0]["tracks"] = [made_up_perf.track()]
    found = {each.name: each for each in sections(given(tmp_path, {"a.json": document}))}
    (picture,) = found["changes"].blocks[0].pictures
    assert 'aria-label="rate: it steps at 200 ms; worst latency 5.00 ms; 2 plans."' in picture.svg


@pytest.mark.slow
def test_what_is_simulated_is_named_so_wherever_it_stands(tmp_path: Path) -> None:
    made = [run for run in made_up_simulation.as_the_paper_says() if run["query"] == "sl"]
    text = page(given(tmp_path, {"simulation.json": made_up_simulation.simulation(made)}))
    assert re.findall(r'<section id="([\w-]+)"', text) == ["summary", "claims", "figures", "machine", "method"]
    visible = re.sub(r"<svg.*?</svg>", "", text, flags=re.DOTALL)
    # The page's title, its first sentence, the summary's row, headings of claims and figures, tables' names, settings.
    assert visible.count("simulation (simulated, not measured)") >= 7
    assert not re.search(r"simulation(?! \(simulated)(?=[<,:;.])", visible.replace("<td>simulation</td>", ""))
    assert "nothing simulated" not in text
    assert "claims, simulated:" in text
    assert "Hollow and dashed: simulated, not measured." in text


@pytest.mark.parametrize(
    ("kind", "parameters", "run", "told"),
    [
        ("simulate-limits", {"simulated": True}, {"simulated": True}, "simulated, not measured"),
        ("topk-bench", {}, {}, ""),
        ("validate", {}, {"simulated_throughput": 1.0}, "partly simulated"),
        ("bench", {}, {}, ""),
    ],
)
def test_a_result_says_what_of_it_was_simulated(
    kind: str, parameters: dict[str, Any], run: dict[str, Any], told: str
) -> None:
    found = NamedDocument("a.json", kind, {"parameters": parameters, "runs": [{}, run]})
    bench = NamedDocument("b.json", "bench", {"parameters": {}, "runs": []})
    assert found.title == (f"a ({told})" if told else "a")
    sentence = simulated_sentence([found, bench])
    assert sentence == (
        f"Not everything was measured: a ({told}). Everything else was measured."
        if told
        else "Everything was measured, nothing simulated."
    )
    if told:
        assert simulated_sentence([found]) == f"Not everything was measured: a ({told})."


def test_results_of_cluster_bench_stand_in_a_page(tmp_path: Path) -> None:
    named = {"query": "q1", "data": "sf1", "way": "spark", "repeat": 0, "cores": 2, "tuples": 10}
    runs = [{**named, "seconds": 1.5, "core_round_trip_ns": None, "verified": True, "problem": None}]
    machine = {"cpu": {"model": "Example 9000", "logical": 2, "allowed": [0, 1], "hypervisor": "none"}}
    made = results.document("cluster-bench", {"data": "sf1"}, runs, machine, [])
    text = page(given(tmp_path, {"a.json": made, "b.json": made}))
    assert text.count("<caption>Runs of cluster-bench</caption>") == 2
    assert "Not compared: results of the kind cluster-bench are not compared" in text
    assert "Everything was measured, nothing simulated." in text
    simulated = {**made, "parameters": {"simulated": True}}
    text = page(given(tmp_path, {"a.json": simulated}))
    assert "Not everything was measured: a (simulated, not measured)." in text
    assert "nothing simulated" not in text


def test_a_lone_bench_has_no_section_of_what_was_not_measured(tmp_path: Path) -> None:
    found = [each.name for each in sections(given(tmp_path, {"a.json": made_up_results.bench()}))]
    assert found == ["summary", "throughput", "percentiles", "worker-time", "machine", "method"]


@pytest.mark.parametrize(
    ("speed", "verdict"), [(1.9, "faster"), (1.0, "cannot tell"), (0.5, "slower")], ids=lambda each: str(each)
)
def test_a_verdict_against_serial_follows_from_the_interval(tmp_path: Path, speed: float, verdict: str) -> None:
    (summary, *_) = sections(given(tmp_path, {"a.json": made_up_results.bench(speed)}))
    (row,) = [row for row in summary.blocks[1].tables[0].rows if row[2].text == "2"]
    assert row[-1].text == verdict


def test_a_wrong_run_has_no_number_on_the_page(tmp_path: Path) -> None:
    (summary, throughput, *_) = sections(given(tmp_path, {"a.json": made_up_results.bench(wrong=True)}))
    assert summary.blocks[0].tables[0].rows[0][-1].text == "9 of 27 runs gave a wrong answer: they have no number"
    (row,) = [row for row in summary.blocks[1].tables[0].rows if row[2].text == "2"]
    assert [cell.text for cell in row[4:]] == ["", "", "", "", "wrong: 9 of 9 runs"]
    assert "1.9 M" not in throughput.blocks[0].pictures[0].svg


@pytest.mark.parametrize(
    ("kind", "runs", "told"),
    [
        ("validate", [{"sequence_ok": True}, {"sequence_ok": False}], "1 of 2 runs gave a wrong answer: "),
        ("validate", [{"sequence_ok": True}] * 2, "every run right"),
        ("stream-bench", [{}, {}], "2 of 2 runs were not checked"),
        ("bench", [{"sequence_ok": True, "answer_ok": None}], "1 of 1 runs gave a wrong answer: "),
        ("peers", [], "no runs"),
        ("perf", [], "no targets"),
    ],
)
def test_a_result_says_of_its_runs_what_was_checked(kind: str, runs: list[dict[str, Any]], told: str) -> None:
    assert verdicts.in_short(NamedDocument("a.json", kind, {"runs": runs, "summary": []}))[0].startswith(told)


def test_results_of_unlike_machines_are_not_compared_and_the_reason_is_told(tmp_path: Path) -> None:
    other = made_up_results.bench() | {"machine": {"cpu": {"model": "Other", "allowed": [0], "hypervisor": "none"}}}
    found = sections(given(tmp_path, {"a.json": made_up_results.bench(), "b.json": other}))
    (comparisons,) = [each for each in found if each.name == "comparisons"]
    assert comparisons.blocks[0].text[0].startswith("Not compared: the two results are not of one machine")
    assert not comparisons.blocks[0].tables


def test_the_same_results_give_the_same_page_and_texts_are_escaped(tmp_path: Path) -> None:
    bench = made_up_results.bench() | {"warnings": ["<script>alert(1)</script>"]}
    found = page(given(tmp_path, {"a.json": bench}))
    assert "<script>alert" not in found
    assert "&lt;script&gt;alert" in found
    assert found == page(given(tmp_path, {"a.json": bench}))


def test_the_timeline_of_a_run_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = own_module(tmp_path, monkeypatch)
    run = streambench.lab.run(mine["keep"], engine="serial", profiled=True, check=False)
    found = sections(given(tmp_path, {"run.json": run.to_json()}))
    assert [each.name for each in found] == ["summary", "worker-time", "machine", "method"]
    assert "worker 0" in found[1].blocks[0].pictures[0].svg


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1]")
    with pytest.raises(StreambenchError, match="is not a result file"):
        read([tmp_path / "a.json"])


def test_greys_and_lines_of_a_drawing_follow_the_page_and_other_colours_stay() -> None:
    assert colour("#000000") == "color-mix(in srgb, var(--ink) 100%, var(--paper))"
    assert colour("#ffffff") == "color-mix(in srgb, var(--ink) 0%, var(--paper))"
    assert colour("#0050b0") == "var(--line-1)"
    assert colour("#7e03a8") == "#7e03a8"


def test_a_percentile_curve_of_whole_distributions_is_that_of_all_latencies(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    waits = [random.lognormal(-9, 1, 1000) for _ in range(9)]
    bench = made_up_results.bench()
    right = [run for run in bench["runs"] if run["engine"] == "ordered" and run["workers"] == 2]
    for run, found in zip(right, waits, strict=True):
        run["latency_histogram"] = encoded(found)
    (whole,) = given(tmp_path, {"a.json": bench})
    (row,) = [row for row in whole.document["summary"] if row["engine"] == "ordered" and row["workers"] == 2]
    marks = percentiles.curve(row, whole.document["runs"])
    assert len(marks) == percentiles.STEPS + 1
    everything = np.concatenate(waits)
    for mark in marks[:-1]:
        assert mark.y == pytest.approx(np.quantile(everything, 1 - 10**-mark.x), rel=0.1)
    assert marks[-1].y == pytest.approx(everything.max(), rel=1e-2)
    assert [mark.y for mark in marks] == sorted(mark.y for mark in marks)
    del right[0]["latency_histogram"]
    (part,) = given(tmp_path, {"a.json": bench})
    assert [mark.y for mark in percentiles.curve(row, part.document["runs"])[:-1]] == [
        row["latency"][name] for name in ("p50", "p90", "p99", "p999")
    ]


def test_what_runs_cost_is_told_where_it_was_recorded(tmp_path: Path) -> None:
    bench = made_up_results.bench()
    assert costs(bench["runs"]) is None
    for run in bench["runs"]:
        if run["workers"] == 2:
            run |= {"cpu_seconds_per_million": 0.5 + run["repeat"], "peak_memory_bytes": 3 << 20}
            run |= {"disturbed": {0: True, 1: True, 2: None}.get(run["repeat"], False), "worker_shares": [0.4, 0.6]}
    (table,) = (
        next(each for each in sections(given(tmp_path, {"a.json": bench})) if each.name == "worker-time")
        .blocks[0]
        .tables
    )
    (row,) = table.rows
    assert [cell.text for cell in row] == ["q1", "ordered", "2", "4.50 s", "3 MiB", "2 of 9, 1 not known", "60%, 40%"]

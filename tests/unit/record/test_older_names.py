"""Result files of before are read in today's words, and say the same as they did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from streambench import claims
from streambench.execution.configuration import CONFIGURATION
from streambench.figures import paper, scaling
from streambench.record import older_names, results
from streambench.record.results import SCHEMA

RESULTS = Path(__file__).resolve().parents[3] / "results"
OLDER = sorted(path for path in RESULTS.glob("*.json") if json.loads(path.read_text())["schema"] == older_names.SCHEMA)


def older(**changes: Any) -> dict[str, Any]:
    run = {"query": "q1", "engine": "ordered", "workers": 2, "unit": 1, "scheduler": "ct", "repeat": 0, "laps": 3}
    return {**run, **changes}


@pytest.mark.parametrize(
    ("run", "wanted"),
    [
        (older(), ("schemes", "ct", "nonblocking", "hybrid")),  # all that the first files say
        (older(scheduler="front", reorder="lock", partitioning="shared"), ("schemes", "walk", "lock", "shared")),
        (older(scheduler="-", reorder="-", partitioning="sharded"), ("ordered", None, None, None)),
        (older(engine="serial", reorder="nonblocking", partitioning="hybrid"), ("serial", None, None, None)),
    ],
)
def test_the_engine_is_told_by_what_else_a_run_says(run: dict[str, Any], wanted: tuple[Any, ...]) -> None:
    found = older_names.renamed(run)
    assert tuple(found[name] for name in ("engine", "heuristic", "reorder", "partitioning")) == wanted
    assert not {"scheduler", "segments"} & found.keys()
    assert found.keys() >= {*CONFIGURATION}


def test_plans_and_fusing_have_other_names() -> None:
    plans = [{"number": 0, "plan": "fused"}, {"number": 1, "plan": "A | B x2"}]
    found = older_names.renamed(older(partitioning="sharded", plan="fused", segments=False, choices=plans))
    assert (found["plan"], found["fuse"]) == ("whole", False)
    assert [each["plan"] for each in found["choices"]] == ["whole", "A | B x2"]
    assert older_names.renamed(older(plan="serial"))["plan"] == "cut"
    assert older_names.renamed(older(plan="2|3*"))["plan"] == "2|3*"


def test_what_was_not_recorded_has_its_default_and_what_was_is_kept() -> None:
    found = older_names.renamed(older(credit=64))
    assert (found["pin"], found["rate"], found["preload"], found["plan"]) == (True, 0.0, True, "auto")
    assert (found["credit"], found["laps"], found["unit"]) == (64, 3, 1)


@pytest.mark.slow
@pytest.mark.parametrize("path", OLDER, ids=lambda path: path.stem)
def test_committed_files_have_as_many_rows_and_the_same_medians(path: Path) -> None:
    before, after = json.loads(path.read_text()), results.read(path)
    assert after["schema"] == SCHEMA
    names = ("query", "workers", "unit", "partitions", "throughput", "verified")
    assert [[row[name] for name in names] for row in after["summary"]] == [
        [row[name] for name in names] for row in before["summary"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", OLDER, ids=lambda path: path.stem)
def test_committed_files_can_be_drawn_and_judged(path: Path) -> None:
    document = results.read(path)
    if document["kind"] == "bench":
        queries = {(point["query"], point["workers"]) for point in scaling.points(document["runs"])}
        assert len(queries) == 10
        return
    _, judged = claims.judge(document)
    assert len(judged) == 10
    assert sum(bool(verdict.evidence) for _, verdict in judged) == 10
    whole = paper.select(document)
    for figure in paper.FIGURES.values():
        assert figure.select(whole).points, figure.name


def test_a_file_of_today_is_left_as_it_is(tmp_path: Path) -> None:
    document = results.document("bench", {}, [], {"cpu": {"model": "x", "allowed": [0], "hypervisor": "none"}}, [])
    document |= {"runs": [{"engine": "ordered", "partitioning": None, "query": "q1", "repeat": 0, "tuples": 1}]}
    path = tmp_path / "made.json"
    path.write_text(json.dumps(document))
    assert results.read(path)["runs"] == document["runs"]

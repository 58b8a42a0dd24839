"""Commands that read results refuse a file whose runs hold what no command writes, in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hand_made import Call
from made_up_sweep import document, runs, serial

import streambench
import streambench.lab
from streambench.errors import StreambenchError
from streambench.lab.record import results


def spoilt(folder: Path, changes: dict[str, Any]) -> Path:
    path = results.write(document([*serial(), *runs()], 2), folder)
    content = json.loads(path.read_text())
    content["runs"][-1] |= changes
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("command", "changes"),
    [
        (("report",), {"query": 0}),
        (("claims", "--simulated", "none"), {"workers": None}),
        (("compare",), {"engine": 0, "heuristic": []}),
        (("figures",), {"fuse": None}),
    ],
)
def test_a_run_of_wrong_types_is_refused_in_a_sentence(
    call: Call, tmp_path: Path, command: tuple[str, ...], changes: dict[str, Any]
) -> None:
    path = spoilt(tmp_path / "results", changes)
    more = (path,) if command[0] == "compare" else ("--out", tmp_path / "out") if command[0] != "claims" else ()
    called = call(*command, path, *more)
    assert called.code == 1
    assert "is not a whole result file: " in called.err
    assert len([line for line in called.err.splitlines() if line.startswith("streambench: ")]) == 1
    assert not (tmp_path / "out").is_file()


@pytest.mark.parametrize("changes", [{"tuples": "many"}, {"micro": 1}, {"unit": 0.5}])
def test_a_table_of_runs_of_wrong_types_is_refused_in_a_sentence(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(StreambenchError, match="is not a whole result file: "):
        streambench.lab.load_results(spoilt(tmp_path, changes))

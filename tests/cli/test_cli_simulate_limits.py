"""`streambench simulate limits` simulates every part with the same times, keeps a result, and writes its table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hand_made import Call

from streambench.lab.measure.simulation.limit_parts import PARTS
from streambench.lab.record import results
from streambench.lab.show.limits_table import page

MARKS = "<!-- limits: begin -->\n<!-- limits: end -->\n"


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["--cores", "1,300"], 2, "--cores are from 1 to 256 in a --topology of 1x256, not 300"),
        (["--tuples", "0"], 2, "--tuples"),
        (["--from", "missing.json"], 1, "cannot be read"),
        (["--from", "empty"], 1, "there is no result file of `streambench simulate limits` in empty"),
        (["--page", "missing.md"], 1, "there is no page missing.md"),
    ],
)
def test_what_cannot_be_simulated_or_told_is_one_sentence(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    called = call("simulate", "limits", *words)
    assert (called.code, called.out) == (code, "")
    assert why in called.err


def test_every_part_is_simulated_with_the_same_times_kept_and_told(call: Call, tmp_path: Path) -> None:
    folder, sheet = tmp_path / "results", tmp_path / "page.md"
    sheet.write_text(f"before\n{MARKS}after\n")
    words = ("simulate", "limits", "--tuples", 8_000, "--cores", "2,80", "--topology", "2x40")
    called = call(*words, "--results", folder, "--page", sheet)
    assert called.code == 0, called.err
    (file,) = folder.glob("*-simulate-limits.json")
    document = results.read(file)
    parameters = document["parameters"]
    assert (parameters["topology"], parameters["topology_is"], parameters["simulated"]) == ("2x40", "given", True)
    rows = [(part.name, cores) for part in PARTS for cores in (2, 80) if part.at_most is None or cores <= part.at_most]
    assert [(run["part"], run["cores"]) for run in document["runs"]] == rows
    assert all(run["simulated"] for run in document["runs"])
    written = sheet.read_text()
    assert written == f"before\n<!-- limits: begin -->\n{page(document)}<!-- limits: end -->\nafter\n"
    assert "4 times the credit |" in written
    sheet.write_text(MARKS)
    again = call("simulate", "limits", "--from", folder, "--page", sheet)
    assert again.code == 0
    assert page(document) in sheet.read_text()
    assert again.out.splitlines()[0] == called.out.splitlines()[0]
    filled = sheet.read_text()
    for changes, why in (
        ({"runs": []}, "holds no runs, so there is nothing to show: name another result"),
        ({"parameters": {}}, "is not a whole result file: what was simulated is not told (KeyError: 'times_ns')"),
    ):
        file.write_text(json.dumps({**document, **changes}))
        refused = call("simulate", "limits", "--from", file, "--page", sheet)
        assert (refused.code, refused.out, refused.error) == (1, "", f"streambench: {file} {why}")
        assert sheet.read_text() == filled
    file.write_text(json.dumps({**document, "kind": "bench", "runs": []}))
    other = call("simulate", "limits", "--from", file)
    assert other.error.endswith("is a result of `streambench bench queries`, not of `streambench simulate limits`")

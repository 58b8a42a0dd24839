"""Commands that take a whole folder of results work over the committed ones."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from committed import linked_results
from hand_made import Call

import streambench
import streambench.lab
from streambench.lab.compare.likeness import KINDS
from streambench.lab.record import results


@pytest.mark.slow
def test_a_report_of_all_committed_results_shows_each_of_them(call: Call, tmp_path: Path) -> None:
    folder = linked_results(tmp_path)
    called = call("report", folder, "--out", tmp_path / "report.html")
    assert called.code == 0, called.err
    shown = re.findall(r'<section id="([\w-]+)"(.*?)</section>', (tmp_path / "report.html").read_text(), re.DOTALL)
    told = "".join(text for name, text in shown if name not in ("summary", "comparisons", "machine", "method"))
    assert [each.stem for each in folder.iterdir() if each.stem not in told] == []


def test_a_comparison_of_all_committed_results_has_a_verdict_or_a_reason(call: Call, tmp_path: Path) -> None:
    folder = linked_results(tmp_path)
    kinds = [results.read(each)["kind"] for each in folder.iterdir()]
    called = call("compare", folder, "--json", "-")
    assert called.code == 0, called.err
    told = json.loads(called.out)
    assert len(told) == len(kinds) - len(set(kinds))
    assert all(each["rows"] if "rows" in each else each["not_compared"] for each in told)


def test_each_committed_result_is_compared_with_itself_or_of_a_kind_that_is_not(call: Call, tmp_path: Path) -> None:
    for file in linked_results(tmp_path).iterdir():
        called = call("compare", file, file, "--json", "-")
        kind = results.read(file)["kind"]
        if kind in KINDS:
            assert called.code == 0, called.err
            assert set(json.loads(called.out)["verdicts"]) == {"faster", "slower", "cannot tell", "wrong answer"}
        else:
            assert (called.code, f"results of the kind {kind} are not compared" in called.error) == (1, True)


def test_a_folder_without_two_results_of_one_kind_is_one_sentence(call: Call, tmp_path: Path) -> None:
    file = next(linked_results(tmp_path).iterdir())
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / file.name).symlink_to(file.resolve())
    called = call("compare", alone)
    assert (called.code, "holds no two results of one kind" in called.error) == (1, True)


def test_the_committed_results_are_rows_of_one_frame(tmp_path: Path) -> None:
    folder = linked_results(tmp_path)
    frame = streambench.lab.load_results(folder)
    assert set(frame["file"]) == {each.name for each in folder.iterdir()}
    bench = frame[frame["kind"] == "bench"]
    rounds = bench.groupby(["file", "query", "repeat"])
    assert (rounds["speed_up"].transform(lambda found: found.notna().all() or found.isna().all())).all()
    without_serial = rounds.filter(lambda found: "serial" not in set(found["engine"]))
    assert set(bench.index[bench["speed_up"].isna()]) == set(without_serial.index), "a time limit cut these rounds"

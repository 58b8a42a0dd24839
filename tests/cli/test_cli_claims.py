"""`claims` and `figures` on result files: what they print and write, and how they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hand_made import Call
from made_up_sweep import document, runs, whole

from streambench.lab.record import results

pytestmark = pytest.mark.slow  # whole documents


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    return results.write(document(whole(2), 2), tmp_path / "results")


def test_claims_are_printed_and_written_and_the_exit_code_is_0_whatever_they_are(
    call: Call, sweep: Path, tmp_path: Path
) -> None:
    called = call(*("claims", sweep, "--json", tmp_path / "claims.json", "--markdown", tmp_path / "claims.md"))
    assert called.code == 0
    assert called.err == ""
    assert "does not hold" in called.out
    assert max(map(len, called.out.splitlines())) <= 100
    verdicts = {each["verdict"] for each in json.loads((tmp_path / "claims.json").read_text())["claims"]}
    assert verdicts == {"holds", "does not hold", "cannot be told"}  # none of rates
    assert (tmp_path / "claims.md").read_text().startswith("| | claim |")


@pytest.mark.parametrize(("option", "begins"), [("--json", "{"), ("--markdown", "| | claim |")])
def test_a_dash_means_standard_output_and_the_table_goes_to_standard_error(
    call: Call, sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, begins: str
) -> None:
    monkeypatch.chdir(tmp_path)
    called = call("claims", sweep, option, "-")
    assert called.code == 0
    assert called.out.startswith(begins)
    assert called.err.startswith("what was measured")
    assert call("claims", sweep, option, "file").code == 0
    assert called.out == (tmp_path / "file").read_text()
    assert not (tmp_path / "-").exists()
    assert call("claims", sweep, "--json", "-", "--markdown", "-").code == 2


def test_latest_is_the_newest_sweep_not_the_newest_file(
    call: Call, sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results.write(document([]) | {"kind": "bench", "created": "2031-01-02T00:00:00+00:00"}, sweep.parent)
    monkeypatch.chdir(tmp_path)
    assert call("claims").code == 0
    assert call("claims", "results").out == call("claims", sweep).out


def test_a_missing_or_unfit_file_is_refused_in_one_sentence(call: Call, tmp_path: Path) -> None:
    called = call("claims", tmp_path / "none.json")
    assert called.code == 1
    assert "cannot be read" in called.error
    (tmp_path / "empty").mkdir()
    called = call("claims", tmp_path / "empty")
    assert (called.code, "no result file of `streambench bench sweep`" in called.error) == (1, True)
    bench = results.write(document(runs()) | {"kind": "bench"}, tmp_path)
    called = call("claims", bench)
    assert (called.code, "this is one of bench" in called.error) == (1, True)


def test_nothing_is_written_where_the_result_is_unfit_or_the_place_is(call: Call, sweep: Path, tmp_path: Path) -> None:
    assert call("claims", sweep, "--unit", 7, "--json", tmp_path / "a.json").code == 2
    called = call("claims", sweep, "--json", tmp_path / "none" / "a.json")
    assert (called.code, called.out) == (1, "")
    assert not (tmp_path / "a.json").exists()


def test_figures_of_a_sweep_are_drawn_and_the_missing_ones_told(call: Call, tmp_path: Path) -> None:
    path = results.write(document(runs()), tmp_path)
    called = call("figures", path, "--figures", "8a, 9", "--out", tmp_path / "drawn")
    assert called.code == 0
    assert [Path(line).name for line in called.out.split()] == [f"figure-8a.{kind}" for kind in ("png", "svg", "csv")]
    assert called.error.startswith("note: figure 9 is not drawn")


def test_a_figure_that_is_not_there_is_refused(call: Call, sweep: Path, tmp_path: Path) -> None:
    called = call("figures", sweep, "--figures", "15", "--out", tmp_path / "drawn")
    assert (called.code, "there is no figure 15" in called.error) == (2, True)
    assert not (tmp_path / "drawn").exists()

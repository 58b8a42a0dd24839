"""`sweep --simulated`, and what reads its results, say of every number whether it is simulated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hand_made import Call
from made_up_simulation import as_the_paper_says, simulation
from made_up_sweep import document, whole

from streambench.lab.cli.bench import bench_frame
from streambench.lab.record import results

MICRO = ("--micro", "sl", "--costs", 2, "--units", 1, "--no-fuse", "--workers", "1,4", "--repeats", 1, "--tuples", 200)


def test_a_result_of_its_own_kind_from_which_the_same_is_simulated_again(call: Call, tmp_path: Path) -> None:
    folder, kept = tmp_path / "results", tmp_path / "kept" / "profiles.json"
    called = call("bench", "sweep", "--simulated", *MICRO, "--results", folder, "--profiles", kept)
    assert called.code == 0, called.err
    assert "sweep, simulated (the serial engine is measured)" in called.out
    (file,) = folder.iterdir()
    assert file.name.endswith("-simulation.json")
    found = results.read(file)
    assert found["parameters"]["topology"]["how"] == "assumed: all cores near each other"
    assert found["parameters"]["simulated_cores"] == [1, 4]
    assert found["parameters"]["profiles_from"] is None
    assert found["parameters"]["profiles"]
    assert not [each for each in found["parameters"]["profiles"] if "samples" in each]
    again = tmp_path / "again"
    without = call("bench", "sweep", "--simulated", *MICRO, "--results", again, "--profiles", file)
    assert (without.code, "holds no samples of its profiles" in without.error) == (1, True)
    assert call("bench", "sweep", "--simulated", *MICRO, "--results", again, "--profiles", kept).code == 0
    assert results.read(next(again.iterdir()))["runs"] == found["runs"]
    given = ("--topology", "2x2", "--costs-of", "paper", "--seed", 5)
    assert call("bench", "sweep", "--simulated", *MICRO, "--results", again, "--profiles", kept, *given).code == 0
    other = results.read(max(again.iterdir()))
    assert other["parameters"]["topology"] == {"sockets": 2, "cores": 2, "clusters": 1, "how": "given"}
    assert (other["parameters"]["costs"], other["parameters"]["profiles_from"]) == ("paper", kept.name)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--run-time", "1s"), "--run-time belongs to runs that are measured"),
        (("--topology", "1x2"), "cores are from 1 to 2 in a --topology of 1x2, not 4"),
        (("--topology", "two"), "sockets times cores"),
        (("--engines", "schemes,ordered"), "leave out --engines ordered"),
        (("--tuples", 5), "--tuples are from 100"),
    ],
)
def test_what_cannot_be_is_one_sentence_before_anything_is_written(
    call: Call, tmp_path: Path, words: tuple[object, ...], why: str
) -> None:
    called = call("bench", "sweep", "--simulated", *MICRO, *words, "--results", tmp_path / "results")
    assert called.code == 2
    assert why in called.err
    assert not (tmp_path / "results").exists()


def test_profiles_of_another_kind_are_refused_before_a_journal_begins(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begun() -> object:
        raise AssertionError("nothing is watched, nothing begins")

    monkeypatch.setattr(bench_frame, "begin", begun)
    other = results.write(document([]), tmp_path)
    called = call("bench", "sweep", "--simulated", *MICRO, "--results", tmp_path / "results", "--profiles", other)
    assert called.code == 1
    assert (
        "names what `streambench bench sweep --simulated --profiles` kept, and this is a result of sweep"
        in called.error
    )
    assert not (tmp_path / "results").exists()


def test_options_of_simulated_sweeps_need_the_word(call: Call) -> None:
    called = call("bench", "sweep", "--micro", "sl", "--costs-of", "paper", "--dry-run")
    assert (called.code, "--costs-of belongs to --simulated" in called.err) == (2, True)


def test_claims_have_two_columns_and_figures_both_kinds_of_points(call: Call, tmp_path: Path) -> None:
    made = [run for run in as_the_paper_says() if run["query"] in ("q1", "sl")]
    sweep = results.write(document([run for run in whole(2) if run["query"] in ("q1", "sl")], 2), tmp_path)
    simulated = results.write(simulation(made), tmp_path)
    results.write(simulation(made, costs="paper") | {"created": "2031-01-03T00:00:00+00:00"}, tmp_path)
    told = json.loads(call("claims", sweep, "--json", "-").out)
    assert told["simulated"]["created"] == "2030-01-03T00:00:00+00:00"  # not the one at the paper's costs
    assert "profiles" not in told["simulated"]["parameters"]
    assert {each["simulated"]["verdict"] for each in told["claims"]} >= {"holds", "cannot be told"}
    alone = call("claims", sweep, "--simulated", "none", "--json", "-")
    assert [each["verdict"] for each in json.loads(alone.out)["claims"]] == [each["verdict"] for each in told["claims"]]
    assert call("claims", sweep, "--simulated", sweep).code == 1
    drawn = call("figures", simulated, "--figures", "12a", "--out", tmp_path / "drawn")
    assert drawn.code == 0, drawn.err
    text = (tmp_path / "drawn" / "figure-12a-128-cores.csv").read_text()
    assert "nonblocking, simulated" in text
    assert ",yes\n" in text
    assert ",no\n" in text
    refused = call("figures", sweep, "--measured", sweep)
    assert (refused.code, "--measured belongs to" in refused.err) == (2, True)


def test_statements_are_judged_by_the_newest_at_the_papers_costs(call: Call, tmp_path: Path) -> None:
    assert "make one first" in call("simulate", "statements", tmp_path).err
    made = as_the_paper_says()
    results.write(simulation(made, costs="paper"), tmp_path)
    few = simulation((run for run in made if run["repeat"] < 2), costs="paper")
    results.write(few | {"created": "2031-01-02T00:00:00+00:00"}, tmp_path)
    own = results.write(simulation(made[:12]) | {"created": "2031-01-03T00:00:00+00:00"}, tmp_path)
    page = tmp_path / "page.md"
    page.write_text("<!-- statements: begin -->\n<!-- statements: end -->\n")
    called = call("simulate", "statements", tmp_path, "--page", page)
    assert called.code == 0, called.err
    assert "simulated, not measured" in called.out
    assert "Of 12 statements: 12 holds." in page.read_text()
    assert "--costs-of paper" in call("simulate", "statements", own).err
    assert call("simulate", "statements", tmp_path, "--page", tmp_path / "none.md").code == 1
    told = json.loads(call("simulate", "statements", tmp_path, "--json", "-").out)
    assert (told["simulated"], len(told["statements"])) == (True, 12)

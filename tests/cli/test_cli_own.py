"""Own pipelines, ``module:function``, are run, verified and measured like queries, and checked."""

from __future__ import annotations

import csv
import datetime
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hand_made import Call
from own_pipelines import COUNT, KEEP, TUPLES, OwnModule, own_module

from streambench.lab.figures import scaling
from streambench.lab.record import results
from streambench.lab.workloads.own_workload import OwnWorkload

WRONG = KEEP.replace("(1, 2)", "(1, 3)")
TELLS = """
from probe_rule_breakers import TellsPartition

def tells():
    return pipeline(TableSource(arrays[:2], ("key", "value")), TellsPartition())
"""
SEVERAL = ("--workers", 2, "--partitions", 4, "--plan", "sharded")
SERIAL = ("--engines", "serial", "--units", "1,64", "--covering")
FEW = ("--workers", "1,2", "--units", "1,64", "--partitions", "1,4", "--covering")
SHORT = ("--workers", "1,2", "--repeats", 2)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnModule:
    return own_module(tmp_path, monkeypatch)


@pytest.fixture
def telling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, probes: SimpleNamespace) -> OwnModule:
    return own_module(tmp_path, monkeypatch, TELLS)


def row(text: str, of: str) -> list[str]:
    """The cells of a table's only line about a workload."""
    (line,) = [line for line in text.splitlines() if line.startswith(f"│ {of} ")]
    return [cell.strip() for cell in line.split("│")[1:-1]]


def only_result(folder: Path) -> dict[str, Any]:
    (file,) = folder.glob("*.json")
    return results.read(file)


def test_run_checks_an_own_pipeline_against_serial(call: Call, mine: OwnModule) -> None:
    called = call("run", mine["keep"], "--workers", 2)
    assert called.code == 0, called.err
    lines = {" ".join(line.split()) for line in called.out.splitlines()}
    assert f"query {mine['keep']}, own pipeline" in lines
    assert {"sequence verified yes", "answer verified not checked"} <= lines
    assert any(line.startswith(f"tuples {TUPLES:,} in, ") for line in lines)
    assert "rows" not in called.out


def test_run_checks_it_against_sql_and_writes_what_is_asked_for(call: Call, mine: OwnModule) -> None:
    oracle, sequence, file = mine.sql(KEEP), mine.folder / "sequence.parquet", mine.folder / "run.json"
    called = call("run", mine["keep"], "--oracle", oracle, "--emitted", sequence, "--json", file, "--worker-time")
    assert called.code == 0, called.err
    told = json.loads(file.read_text())
    assert (told["query"], told["sequence_ok"], told["answer_ok"]) == (mine["keep"], True, True)
    assert told["oracle"] == oracle.name
    found = pq.read_table(sequence)
    assert found.column_names == ["ts", "ss_ticket_number", "ss_item_sk"]
    assert found.num_rows == told["output_tuples"]
    assert json.loads(call("run", mine["keep"], "--json", "-").out)["oracle"] is None


def test_a_wrong_oracle_is_noticed_and_no_file_is_written(call: Call, mine: OwnModule) -> None:
    called = call("run", mine["keep"], "--oracle", mine.sql(WRONG), "--json", mine.folder / "run.json", "--quiet")
    assert called.code == 1
    assert called.error.startswith(f"streambench: The run is wrong: Row 0 of {mine['keep']}'s output sequence is (ts ")
    assert called.error.endswith("No file was written.")
    assert not (mine.folder / "run.json").exists()


def test_a_pipeline_that_gives_another_sequence_in_two_workers_is_noticed(call: Call, telling: OwnModule) -> None:
    assert call("run", telling["tells"], "--workers", 1).code == 0
    called = call("run", telling["tells"], *SEVERAL, "--quiet")
    assert called.code == 1
    assert f"{telling['tells']}'s output sequence differs from the serial engine's: 3,000 tuples" in called.error


def test_run_without_a_check_says_so(call: Call, telling: OwnModule) -> None:
    called = call("run", telling["tells"], *SEVERAL, "--no-check")
    assert called.code == 0
    assert called.out.count("not checked") == 2


@pytest.mark.slow
def test_verify_compares_every_engine(call: Call, mine: OwnModule) -> None:
    called = call("verify", mine["count"], "--oracle", mine.sql(COUNT), *FEW)
    assert called.code == 0, called.out + called.err
    name, parameters, tuples, emitted, answers, runs, wrong, verified = row(called.out, mine["count"])
    assert (name, parameters, wrong, verified) == (mine["count"], "-", "0", "yes")
    assert {tuples, emitted, answers} == {f"{TUPLES:,}"}
    assert int(runs) > 20


@pytest.mark.slow
def test_verify_names_the_runs_that_are_wrong_and_how_to_repeat_them(call: Call, telling: OwnModule) -> None:
    called = call("verify", telling["tells"], *FEW, "--engines", "ordered", "--plans", "sharded")
    assert called.code == 1
    commands = [line for line in called.out.splitlines() if line.startswith("  streambench run")]
    assert 0 < len(commands) < int(row(called.out, telling["tells"])[5])
    assert all(f"run {telling['tells']} --engine ordered" in each and "--partitions 4" in each for each in commands)
    again = call(*commands[0].split()[1:])
    assert again.code == 1
    assert "differs from the serial engine's" in again.error
    wrong = call("verify", telling["keep"], "--oracle", telling.sql(WRONG), *SERIAL)
    assert wrong.code == 1
    assert "sequence: Row 0 of " in wrong.out
    assert f"--oracle {telling.sql(WRONG)}" in wrong.out


@pytest.mark.slow
def test_verify_takes_queries_and_own_pipelines_together(call: Call, mine: OwnModule, data: Path) -> None:
    called = call("verify", "q1", mine["keep"], "--data", data, "--parameters", "paper", *SERIAL)
    assert called.code == 0, called.err
    assert row(called.out, "q1")[-1] == row(called.out, mine["keep"])[-1] == "yes"


@pytest.mark.slow
def test_bench_measures_it_beside_a_query_and_draws_both(call: Call, mine: OwnModule, data: Path) -> None:
    names = f"q1,{mine['keep']}"
    called = call(
        "bench",
        "queries",
        "--data",
        data,
        "--queries",
        names,
        "--oracle",
        mine.sql(KEEP),
        "--run-time",
        "10ms",
        *SHORT,
    )
    assert called.code == 0, called.err
    assert f"note: {mine['keep']}: runs are shorter than asked for, 1 laps instead of" in called.err
    found = only_result(Path("results"))
    assert found["parameters"]["queries"] == ["q1", mine["keep"]]
    assert found["parameters"]["oracle"] == mine.sql(KEEP).name
    ours = [run for run in found["runs"] if run["query"] == mine["keep"]]
    assert [(run["engine"], run["workers"], run["repeat"]) for run in ours] == [
        *(("serial", 1, 0), ("ordered", 1, 0), ("ordered", 2, 0)),
        *(("ordered", 2, 1), ("ordered", 1, 1), ("serial", 1, 1)),
    ]
    assert all(run["sequence_ok"] is run["answer_ok"] is True and run["laps"] == 1 for run in ours)
    assert len({run["digest"] for run in ours}) == 1
    assert [each["query"] for each in found["summary"]] == ["q1"] * 3 + [mine["keep"]] * 3
    (file,) = Path("results").glob("*.json")
    assert {row["query"] for row in csv.DictReader((file.with_suffix("") / "scaling.csv").open())} == {
        "q1",
        mine["keep"],
    }
    assert (
        "every run's output sequence was checked against serial's, every query's answer (one lap) against SQL, that of "
        f"{mine['keep']} against SQL of its own. Derived from TPCx-BB"
    ) in scaling.caption(found)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["queries", "sweep"])
def test_measured_runs_that_are_wrong_have_no_number(call: Call, telling: OwnModule, command: str) -> None:
    words = ("--run-time", "10ms") if command == "queries" else ("--run-time", "20ms", "--partitions", 4)
    wrong = call("bench", command, "--queries", telling["keep"], "--oracle", telling.sql(WRONG), *SHORT, *words)
    assert wrong.code == 1
    assert all(each["throughput"] is None for each in only_result(Path("results"))["summary"])
    if command == "sweep":
        assert f"--oracle {telling.sql(WRONG)}" in wrong.err
        called = call("bench", "sweep", "--queries", telling["tells"], *SHORT, *words, "--results", "more")
        assert called.code == 1
        right = {(run["engine"], run["throughput"] is not None) for run in only_result(Path("more"))["runs"]}
        assert right == {("serial", True), ("schemes", False)}


@pytest.mark.slow
def test_sweep_measures_it_interleaved_and_figures_and_claims_say_that_it_is_none_of_theirs(
    call: Call, mine: OwnModule
) -> None:
    words = ("--heuristics", "ct,lp", *SHORT, "--run-time", "20ms")
    called = call("bench", "sweep", "--queries", mine["count"], "--oracle", mine.sql(COUNT), *words)
    assert called.code == 0, called.err
    assert "next: " not in called.out
    found = only_result(Path("results"))
    assert (len(found["runs"]), found["parameters"]["oracle"]) == (2 * 5, mine.sql(COUNT).name)
    assert {run["query"] for run in found["runs"]} == {mine["count"]}
    for command in ("figures", "claims"):
        alone = call(command, "results")
        assert alone.code == 1
        assert alone.error == (
            f"streambench: the result holds own pipelines alone ({mine['count']}): the paper's figures and claims are "
            "of queries and parametric pipelines"
        )
    both = call("bench", "sweep", "--queries", mine["count"], "--micro", "sl", *words, "--results", "both")
    assert both.code == 0, both.err
    assert "next: " in both.out
    note = f"note: {mine['count']}: no claim of the paper is about an own pipeline\n"
    assert call("claims", "both").err == note
    assert f"note: {mine['count']}: no figure of the paper is of an own pipeline\n" in call("figures", "both").err


@pytest.mark.slow
def test_a_bench_goes_on_only_while_module_and_oracle_are_the_same(
    call: Call, mine: OwnModule, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("bench", "queries", "--queries", mine["keep"], "--oracle", mine.sql(KEEP), "--run-time", "10ms", *SHORT)
    true, calls = results.write, []

    def stopped(*arguments: Any) -> Any:
        calls.append(arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr("streambench.lab.record.results.write", stopped)
    assert call(*words).code == 130
    mine.sql(f"{KEEP} -- the same")
    assert "runs kept from before" not in call(*words).err
    monkeypatch.setattr("streambench.lab.record.results.write", true)
    mine.sql(KEEP)
    assert "6 of 6 runs kept from before" in call(*words).err


@pytest.fixture
def words_in_a_file(mine: OwnModule) -> Path:
    """A Parquet file in the current folder, with columns of texts, dates and nulls."""
    file = mine.folder / "words.parquet"
    days = [None if k % 5 == 0 else datetime.date(2020, 1, 1 + k % 28) for k in range(TUPLES)]
    words = [None if k % 7 == 0 else f"w{k % 11}" for k in range(TUPLES)]
    pq.write_table(pa.table({"n": range(TUPLES), "word": words, "day": days}), file, row_group_size=1000)
    return file


def test_run_gives_a_function_the_rows_of_a_file_and_writes_texts_and_dates_again(
    call: Call, mine: OwnModule, words_in_a_file: Path
) -> None:
    for engine in ("serial", "ordered"):
        called = call("run", mine["over"], "--data", words_in_a_file, "--engine", engine, "--emitted", "out.parquet")
        assert called.code == 0, called.err
        assert "sequence verified yes" in {" ".join(line.split()) for line in called.out.splitlines()}
        written, given = pq.read_table("out.parquet"), pq.read_table(words_in_a_file)
        assert written.select(given.column_names).to_pydict() == given.to_pydict()
        assert written.column("twice").to_pylist() == [2 * n for n in range(TUPLES)]


def test_a_file_that_cannot_be_read_is_told(call: Call, mine: OwnModule) -> None:
    called = call("run", mine["over"], "--data", "none.parquet")
    assert called.code == 1
    assert called.error.startswith("streambench: none.parquet cannot be read as Parquet (")


def test_sql_looks_at_such_a_file_as_the_runtime_does(call: Call, mine: OwnModule, words_in_a_file: Path) -> None:
    oracle = mine.sql("SELECT n, word, day, 2 * n FROM stream WHERE day = -1 OR word >= -1 ORDER BY stream_row")
    called = call("run", mine["over"], "--data", words_in_a_file, "--oracle", oracle, "--workers", 2)
    assert called.code == 0, called.err
    assert "answer verified yes" in {" ".join(line.split()) for line in called.out.splitlines()}


@pytest.mark.slow
def test_what_measures_holds_the_file_in_memory_and_says_which_it_was(
    call: Call, mine: OwnModule, words_in_a_file: Path
) -> None:
    called = call("verify", mine["over"], "--data", words_in_a_file, *FEW)
    assert called.code == 0, called.err
    assert row(called.out, mine["over"])[-1] == "yes"
    for command, *words in (("queries", "--run-time", "10ms"), ("sweep", "--run-time", "20ms")):
        folder = Path(command)
        called = call(
            "bench", command, "--queries", mine["over"], "--data", words_in_a_file, *SHORT, *words, "--results", folder
        )
        assert called.code == 0, called.err
        found = only_result(folder)
        assert found["parameters"]["data"] == "words.parquet"
        assert all(run["sequence_ok"] and run["preload"] for run in found["runs"])


def test_a_bench_does_not_go_on_over_another_file(mine: OwnModule, words_in_a_file: Path) -> None:
    def state() -> list[str]:
        return OwnWorkload(mine["over"], data=words_in_a_file).state()

    before = state()
    assert before == state()
    pq.write_table(pa.table({"n": [1], "word": ["x"], "day": [datetime.date(2020, 1, 1)]}), words_in_a_file)
    assert before != state()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["run", "{keep}", "--parameters", "kit"],
            "--parameters belongs to queries, and {keep} is an own pipeline: leave it out.",
        ),
        (
            ["run", "{keep}", "--data", "."],
            "{keep} has no parameter that the data could be given to: give it one, or name no data.",
        ),
        (["run", "{over}"], "{over} is to be called with the data, and none are named: name a Parquet file by --data"),
        (
            ["bench", "queries", "--queries", "q1,{over}", "--data", "x"],
            "{over} is to be called with the data, and none are named",
        ),
        (["run", "{keep}", "--laps", 2], "--laps belongs to queries"),
        (["run", "{keep}", "--no-preload"], "--preload belongs to queries"),
        (["run", "{keep}", "--sort"], "--sort belongs to queries"),
        (["run", "{keep}", "--names"], "--names belongs to queries"),
        (["run", "{keep}", "--out", "x"], "--out belongs to queries"),
        (["verify", "{keep}", "--data", "."], "{keep} has no parameter that the data could be given to"),
        (["verify", "{keep}", "--parameters", "kit"], "--parameters belongs to queries"),
        (["bench", "queries", "--queries", "{keep}", "--seed", 2], "--seed belongs to queries"),
        (["bench", "queries", "--queries", "{keep}", "--scale-factor", 1], "--scale-factor belongs to queries"),
        (["bench", "queries", "--queries", "{keep},{keep}"], "own pipeline {keep} is named twice: name it once."),
        (
            ["bench", "sweep", "--queries", "{keep}", "--data", "."],
            "{keep} has no parameter that the data could be given to",
        ),
        (
            ["bench", "sweep", "--preset", "quick", "--queries", "{keep}"],
            "{keep} is an own pipeline, and no preset has one: ",
        ),
        (
            ["bench", "sweep", "--queries", "{keep},{count}", "--oracle", "x"],
            "--oracle belongs to one own pipeline, module:function, and 2 are named: leave it out, or name one.",
        ),
        (
            ["run", "q1", "--data", "x", "--oracle", "x"],
            "--oracle belongs to one own pipeline, module:function, and none is named: leave it out, or name one.",
        ),
        (["verify", "--oracle", "x"], "--oracle belongs to one own pipeline, module:function, and none is named"),
        (["run", "{keep}", "--oracle", "x", "--no-check"], "--oracle is part of the check: leave out --no-check."),
        (["run", "{keep}", "--oracle", "none.sql"], "the oracle none.sql cannot be read (No such file or directory): "),
        (
            ["bench", "queries", "--queries", "{none}"],
            "module {module} has no function none: name one that returns a Pipeline.",
        ),
        (["verify", "no_such_module:build"], "there is no module no_such_module: it must be on the Python path or in"),
        (["run", "{keep}", "--workers", 5000], "--workers must be a whole number from 1 to 1024, not 5000."),
        (["bench", "perf", "--queries", "{keep}"], "there is no query "),
    ],
    ids=str,
)
def test_what_cannot_be_asked_for_is_refused_in_one_sentence(
    call: Call, mine: OwnModule, words: list[Any], sentence: str
) -> None:
    named = {name: mine[name] for name in ("keep", "count", "over", "none")} | {"module": mine.name}
    called = call(*(str(word).format(**named) for word in words))
    assert called.code == 2
    assert called.error.startswith(f"streambench: {sentence.format(**named)}")
    assert not Path("results").exists()

"""`streambench micro` prints, writes and checks a run of parametric operators; what cannot be met gets one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hand_made import Call

from streambench.execution.options import HEURISTICS, PARTITIONINGS, REORDERS
from streambench.lab.workloads.micro import MicroWorkload

QUICK = ("--cost", 0.1, "--tuples", 500)


def test_the_summary_says_what_was_run_and_that_its_sequence_was_right(call: Call) -> None:
    words = ["--operators", "sl,ps", "--cost", "1,0.5", "--selectivity", "3,1", "--tuple-size", 4, "--state-size", 8]
    called = call(
        "micro",
        *words,
        "--tuples",
        300,
        "--keys",
        "zipf",
        "--exponent",
        1.5,
        "--workers",
        3,
        "--unit",
        7,
        "--reorder",
        "lock",
    )
    assert (called.code, called.err) == (0, "")
    lines = [" ".join(line.split()) for line in called.out.splitlines()]
    assert "query sl-ps, parametric operators (zipf keys, exponent 1.5)" in lines
    assert "engine schemes, 3 workers, 24 partitions, ct, lock, hybrid" in lines
    assert "tuples 300 in, 900 out" in lines
    assert "sequence verified yes" in lines
    assert any(line.startswith("operator 1 sl, 1 µs (") and "selectivity 3, tuple size 4" in line for line in lines)
    assert any(line.startswith("operator 2 ps, 0.5 µs (") and "tuple size 4, state size 8" in line for line in lines)


def test_without_a_check_the_summary_does_not_claim_one(call: Call) -> None:
    assert call("micro", *QUICK, "--no-check").out.count("not checked") == 2


def test_quiet_prints_nothing(call: Call) -> None:
    called = call("micro", *QUICK, "--quiet")
    assert (called.code, called.out, called.err) == (0, "", "")


def test_json_holds_the_result_and_the_parameters(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    assert call("micro", *QUICK, "--operators", "ps", "--seed", 5, "--json", file).code == 0
    result = json.loads(file.read_text())
    assert (result["query"], result["tuples"], result["output_tuples"]) == ("ps", 500, 500)
    assert (result["sequence_ok"], result["answer_ok"]) == (True, None)
    operator = {"kind": "ps", "cost_us": 0.1, "selectivity": 1.0, "state_size": 16}
    assert result["micro"]["operators"] == [operator]
    assert result["micro"]["seed"] == 5
    assert result["rounds"][0] > 0
    assert result["peak_memory_bytes"] >= result["memory_before_bytes"] > 1 << 20
    assert result["cpu_seconds_per_million"] == pytest.approx(result["cpu_seconds"] * 2000)
    assert json.loads(call("micro", *QUICK, "--json", "-").out)["query"] == "sl"


@pytest.mark.slow
def test_engines_and_options_give_one_digest(call: Call) -> None:
    choices: list[list[Any]] = [
        ["--engine", "serial"],
        ["--unit", 1, "--no-fuse", "--no-pin", "--workers", 2],
        ["--partition-by", "range", "--partitions", 100, "--credit", 4],
        ["--time-slice", "1ms", "--half-life", "100ms", "--rate", "10k"],
        *(["--heuristic", name, "--capacity", 100] for name in HEURISTICS),
        *(["--reorder", name] for name in REORDERS),
        *(["--partitioning", name] for name in PARTITIONINGS),
    ]
    common = ("--operators", "sl,ps", *QUICK, "--keys", "normal", "--sigma", 0.3, "--json", "-", "--quiet")
    digests = {json.loads(call("micro", *common, *words).out)["digest"] for words in choices}
    assert len(digests) == 1


def test_options_without_effect_on_the_serial_engine_are_told(call: Call) -> None:
    called = call("micro", *QUICK, "--engine", "serial", "--reorder", "lock", "--capacity", 5)
    assert called.code == 0
    assert "note: the serial engine is one thread without queues: --reorder, --capacity change nothing." in called.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--operators", "sl,sf"], "--operators takes some of sl,ps, with commas, not 'sf'."),
        (["--operators", ""], "--operators takes some of sl,ps, with commas, not ''."),
        (["--operators", ",".join(["sl"] * 23)], "a micro-benchmark has 1 to 22 operators, not 23."),
        (["--cost", -1], "--cost of operator 1, in microseconds, must be a number from 0 to 1,000,000, not -1.0."),
        (["--cost", "nan"], "--cost of operator 1, in microseconds, must be a number from 0 to 1,000,000, not nan."),
        (["--cost", "cheap"], "--cost takes a number, or one for each operator with commas between them, not 'cheap'."),
        (["--cost", "1,2"], "--cost takes one number, not 2, as there is one operator."),
        (
            ["--operators", "sl,ps,sl", "--cost", "1,2"],
            "--cost takes one number, or 3, one for each operator, not 2.",
        ),
        (["--selectivity", -0.5], "--selectivity of operator 1 must be a number from 0 to 100,000, not -0.5."),
        (["--selectivity", "1,,1"], "--selectivity takes a number, or one for each operator with commas between them"),
        (["--tuple-size", 0], "--tuple-size must be a whole number from 1 to 1,048,576, not 0."),
        (["--state-size", 0], "--state-size of operator 1 must be a whole number from 1 to 1,048,576, not 0."),
        (["--tuples", 0], "--tuples must be a whole number from 1 to"),
        (["--tuples", 10**12], "the micro-benchmark needs about"),
        (["--sigma", 0], "--sigma must be a number above 0 and at most 100, not 0.0."),
        (["--exponent", "inf"], "--exponent must be a number from 0 to 100, not inf."),
        (["--key-space", 0], "--key-space must be a whole number from 1 to 2,147,483,648, not 0."),
        (["--keys", "zipf", "--sigma", 0.5], "--sigma belongs to --keys normal: leave it out, or choose that."),
        (["--change-at", 0.2], "--change-at belongs to --hot or --dearer: leave it out, or choose that."),
        (["--hot", 2], "--hot must be a number from 0 to 1, not 2.0."),
        (["--exponent", 2], "--exponent belongs to --keys zipf: leave it out, or choose that."),
        (["--state-size", 8], "--state-size belongs to an operator ps: leave it out, or choose that."),
        (["--rate", "1e-9"], "at 1e-09 tuples per second the stream of 100,000 would take"),
        (["--seed", -1], "--seed must be a whole number from 0 to"),
        (
            ["--selectivity", 100_000, "--unit", 4096],
            "a unit of 4096 tuples grows to 4.1e+08 in sl: choose a smaller unit",
        ),
        (["--workers", 0], "--workers must be at least 1, not 0."),
        (["--capacity", 0], "--capacity must be at least 1, not 0."),
        (["--credit", 3], "--credit must be a power of two from 2 to 16384, not 3."),
        (["--rate", "fast"], "--rate must be max, or tuples per second above 0"),
        (["--json", "none/run.json"], "--json none/run.json has no folder"),
    ],
)
def test_what_cannot_be_met_is_refused_in_one_sentence(call: Call, words: list[Any], sentence: str) -> None:
    called = call("micro", *words)
    assert called.code == (1 if words[0] == "--json" else 2)
    assert called.error.startswith(f"streambench: {sentence}")
    assert called.out == ""


@pytest.mark.parametrize("word", ["--keys=pareto", "--tuples=many", "--heuristic=best", "--reorder=none", "--nonsense"])
def test_wrong_usage_exits_with_2(call: Call, word: str) -> None:
    called = call("micro", word)
    assert called.code == 2
    assert called.err.startswith("streambench: ")
    assert called.err.count("\n") == 1


def test_a_wrong_run_has_no_number_and_writes_no_file(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MicroWorkload, "serial_digest", lambda self, laps: "0" * 16)
    called = call("micro", *QUICK, "--json", tmp_path / "run.json")
    assert called.code == 1
    assert called.error.startswith("streambench: The run is wrong: sl's output sequence has digest")
    assert "No file was written." in called.error
    assert "throughput         -" in called.out
    assert not list(tmp_path.iterdir())

"""What an option cannot mean, and what it would be ignored beside, is refused before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from streambench.errors import StreambenchError
from streambench.lab.cli import cli
from streambench.lab.data import generated
from streambench.lab.record import journaled_document

OVER_DATA: dict[str, list[str]] = {
    "bench queries": [],
    "bench sweep": ["--queries", "q1"],
    "bench perf": ["--section", "queries"],
    "bench peers": ["q1"],
    "bench rate": ["q1", "--p99", "5ms"],
    "bench topk": ["--sources", "items"],
}
MEASURING: dict[str, list[str]] = {
    **OVER_DATA,
    "bench joins": [],
    "bench snet": [],
    "bench cluster": ["q1", "--data", "there"],
    "simulate validate": [],
}
BAD = {"scale_factor": ("-1", "0", "nan", "inf", "1e9"), "repeats": ("-1", "0", "1000000000"), "workers": ("-1", "0")}
BAD |= {"days": ("0", "-1", "1000000000"), "seconds": ("-1", "0", "nan", "inf", "1e9"), "min_seconds": ("-1", "nan")}
BAD |= {"within": ("0s", "-1s", "nan"), "seed": ("-1",), "precision": ("0", "nan", "inf"), "load": ("0", "nan", "1e9")}


class StartedError(Exception):
    """The machine was looked at, or data were about to be made."""


@pytest.fixture
def nothing_starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The working directory, which stays empty."""

    def start(*given: Any) -> None:
        raise StartedError

    monkeypatch.setattr(journaled_document, "describe", start)
    monkeypatch.setattr(generated, "_alone", start)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal(*words: str) -> str:
    """What a command says that does not start."""
    error = CliRunner().invoke(cli, words).exception
    assert not isinstance(error, StartedError), f"{' '.join(words)} has started"
    assert isinstance(error, StreambenchError | SystemExit) or "Datagen" in type(error).__name__
    return str(error)


@pytest.mark.parametrize("command", MEASURING)
def test_bad_numbers_are_refused_before_anything_starts(nothing_starts: Path, command: str) -> None:
    names = command.split()
    found: click.Command = cli
    for name in names:
        assert isinstance(found, click.Group)
        deeper = found.get_command(click.Context(found), name)
        assert deeper is not None
        found = deeper
    options = {option.name: option.opts[0] for option in found.params if option.name in BAD}
    assert options
    for option, written in options.items():
        for value in BAD[option]:
            refusal(*names, *MEASURING[command], f"{written}={value}")
    assert list(nothing_starts.iterdir()) == []


@pytest.mark.parametrize("command", OVER_DATA)
def test_data_that_is_there_is_not_to_be_made(nothing_starts: Path, command: str) -> None:
    told = refusal(*command.split(), *OVER_DATA[command], "--data", "there", "--scale-factor", "1")
    assert told == "--data names data that is there, --scale-factor data to be made: leave one of them out."


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["bench", "queries", "--data", "there", "--days", "7"],
            "--data names data that is there, --days data to be made",
        ),
        (["run", "q1", "--data", "there", "--names"], "--names writes names into --out: add --out FILE"),
        (["run", "q1", "--data", "there", "--engine", "spark", "--names"], "--names writes names into --out"),
        (
            ["bench", "sweep", "--micro", "sl", "--data", "there"],
            "--data is of queries and own pipelines, and none is measured",
        ),
        (["bench", "sweep", "--micro", "sl", "--scale-factor", "1"], "--scale-factor is of queries and own pipelines"),
        (["bench", "sweep", "--micro", "sl", "--tuples", "0"], "--tuples belongs to --simulated"),
        (["verify", "--engines", "ordered", "--heuristics", "ct"], "--heuristics is of the engine schemes"),
        (["verify", "--engines", "schemes", "--plans", "cut"], "--plans is of the engine ordered"),
        (["verify", "--engines", "serial", "--workers", "2"], "--workers is of several threads"),
        (["verify", "--engines", "serial", "--partitions", "2"], "--partitions is of several threads"),
        (["verify", "--engines", "serial,ordered", "--fuse", "on"], "--fuse is of the engine schemes"),
        (["simulate", "validate", "--from", "a.json", "--run-time", "1s"], "--run-time is of what is measured"),
        (["simulate", "limits", "--from", "a.json", "--tuples", "9"], "--tuples is of what is simulated"),
        (["bench", "topk", "--data", "there"], "--data is of lines and clicks, and --sources names neither"),
        (["bench", "topk", "--scale-factor", "1"], "--scale-factor is of lines and clicks"),
        (["bench", "perf", "--section", "micro", "--workers", "2"], "--workers is of the sections scaling and plans"),
        (["bench", "perf", "--section", "micro", "--queries", "q1"], "--queries is of sections over queries"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(nothing_starts: Path, words: list[str], told: str) -> None:
    (nothing_starts / "there").mkdir()
    assert refusal(*words).startswith(told)


@pytest.mark.parametrize("budget", ["1e30m", "1e400s", "300000h"])
def test_a_length_of_time_that_no_clock_takes_is_refused(nothing_starts: Path, budget: str) -> None:
    assert refusal("evaluate", "--budget", budget) == f"--budget must be at most 1000000000s, not '{budget}'."


@pytest.mark.parametrize("words", [["bench", "queries"], ["bench", "cluster", "q1"], ["evaluate"]])
def test_a_folder_without_tables_is_refused_before_anything_starts(nothing_starts: Path, words: list[str]) -> None:
    told = refusal(*words, "--data", ".")
    assert "Table store_sales is missing from ." in told
    assert list(nothing_starts.iterdir()) == []


@pytest.mark.parametrize("value", [-1.0, 0.0, float("nan"), float("inf"), 1e9])
def test_data_that_cannot_be_leave_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: float) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception, match="scale factor must"):
        generated.generated(value)
    assert list(tmp_path.iterdir()) == []

"""`streambench data generate` as a user sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from streambench.datagen import manifest
from streambench.lab.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["data", *arguments])
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


def test_it_generates_and_then_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "data"
    code, told, steps = run(
        capsys,
        "generate",
        "--scale-factor",
        "0.001",
        "--days",
        "2",
        "--seed",
        "3",
        "--master",
        "local[2]",
        "--out",
        str(out),
    )
    assert code == 0
    assert "web_clickstreams" in told
    assert steps.splitlines()[:2] == ["streambench data generate: starting Spark", "streambench data generate: item"]
    assert steps.splitlines()[-1] == "streambench data generate: hashes and manifest"
    assert manifest.read(out)["parameters"]["seed"] == 3
    code, told, _ = run(capsys, "check", str(out))
    assert code == 0
    assert "FAIL" not in told
    (out / "item" / "part-00000.parquet").unlink()
    code, told, errors = run(capsys, "check", str(out))
    assert code == 1
    assert "FAIL" in told
    assert "checks of" in errors
    assert "Traceback" not in errors


def test_it_leaves_the_edges_out_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Generating without them is tried where edges are: here it is asked for, and its manifest told."""
    asked = []

    def generate(out: Path, **how: Any) -> dict[str, Any]:
        asked.append(how["edges"])
        return {"parameters": {**how, "edges": {}}, "tables": {}}

    monkeypatch.setattr("streambench.lab.cli.data.generate.generate", generate)
    code, told, _ = run(capsys, "generate", "--no-edges", "--out", str(tmp_path / "data"))
    assert code == 0
    assert asked == [False]
    assert "0 edges" in " ".join(told.split())


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("generate", "--scale-factor", "0"), "scale factor"),
        (("generate", "--scale-factor", "nan"), "scale factor"),
        (("generate", "--days", "0"), "days"),
        (("generate", "--seed", "-4"), "seed"),
        (("generate", "--partitions", "0"), "partitions"),
        (("generate", "--master", "nowhere"), "Spark master"),
        (("check", "no-such-directory"), "no directory"),
    ],
)
def test_bad_options_get_one_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    named: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, told, errors = run(capsys, *arguments)
    assert code == (1 if {"--master", "check"} & {*arguments} else 2)
    assert told == ""
    assert named in errors
    assert errors.count("\n") == 1 + ("--master" in arguments)  # Spark's start is told before it can fail
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_to_is_refused_before_spark_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: object, **options: object) -> None:
        raise AssertionError("Spark was to start")

    monkeypatch.setattr("streambench.lab.cli.data.generate.generate", never)
    (tmp_path / "file").touch()
    for out, why in (
        (Path("/proc/data"), "No such file or directory"),
        (tmp_path / "file" / "data", "Not a directory"),
    ):
        code, told, errors = run(capsys, "generate", "--out", str(out))
        assert (code, told) == (1, "")
        assert errors == f"streambench: Cannot write to {out} ({why}): choose another directory.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_help_shows_every_option_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    code, told, _ = run(capsys, "generate", "--help")
    assert code == 0
    for word in (
        "--scale-factor",
        "--days",
        "--seed",
        "--profile",
        "--out",
        "--master",
        "--edges",
        "--overwrite",
    ):
        assert word in told
    assert "streambench data generate --scale-factor 0.1" in told
    assert "made by hand needs no manifest" in " ".join(told.split())


def test_importing_the_package_and_the_help_need_no_spark() -> None:
    code = (
        "import sys, streambench.datagen, streambench.lab.cli.data.generate; "
        "assert not any(name.startswith(('pyspark', 'py4j')) for name in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_an_option_help_is_shown_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, told = run(capsys)
    assert code == 2
    assert told.startswith("Usage: ")
    assert list(tmp_path.iterdir()) == []

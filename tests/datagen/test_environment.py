"""What is wrong with the environment is one sentence before Spark starts: no JVM, nothing to wait for, nothing left."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pyspark
import pytest

from streambench.datagen import environment
from streambench.datagen.environment import fit_for_spark, require_name
from streambench.datagen.errors import DatagenError

OURS = f"{sys.version_info.major}.{sys.version_info.minor}"


def program(place: Path, script: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    place.chmod(0o755)
    return place


def spark(home: Path, version: str) -> Path:
    program(home / "bin" / "spark-submit", "exit 0")
    (home / "jars").mkdir()
    (home / "jars" / f"spark-core_2.13-{version}.jar").touch()
    return home


def java(encoding: str = "UTF-8") -> str:
    """A Java that names files in UTF-8 where LC_ALL says so, else in ``encoding``."""
    told = f'test "$LC_ALL" = C.UTF-8 && E=UTF-8 || E={encoding}; echo "    sun.jnu.encoding = $E" >&2'
    return f"{told}; echo 'openjdk version \"17.0.1\" 2025' >&2"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Java that is fit, and nothing else in the environment."""
    for name in ("SPARK_HOME", "SPARK_REMOTE", "PYSPARK_GATEWAY_PORT", "PYSPARK_PYTHON", "LC_ALL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    program(tmp_path / "java" / "bin" / "java", java())
    return tmp_path / "java"


def refusal(master: str = "local[1]") -> str:
    before = dict(os.environ)
    with pytest.raises(DatagenError) as refused, fit_for_spark(master):
        pass
    assert dict(os.environ) == before
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_java_that_is_fit_is_let_through() -> None:
    with fit_for_spark("local[1]"):
        assert "LC_ALL" not in os.environ


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "does not run (without a word)"),
        ("echo Unrecognized VM option; exit 1", "does not run (Unrecognized VM option)"),
        ("exec sleep 60", "gave no version within 0 s"),
        ("echo 'java version \"11.0.2\"' >&2", "is Java 11"),
    ],
)
def test_a_java_that_does_not_work_is_named(
    home: Path, script: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "_SECONDS", 0.4 if "sleep" in script else 10.0)
    program(home / "bin" / "java", script)
    said = refusal()
    assert f"{home}/bin/java {reason}: type `sudo apt-get" in said
    assert said.endswith("unset JAVA_HOME.")


@pytest.mark.parametrize(("mode", "content"), [(0o644, "#!/bin/sh\n"), (0o755, "\x7fELF of another processor")])
def test_a_java_that_cannot_be_executed_is_named(home: Path, mode: int, content: str) -> None:
    (home / "bin" / "java").write_text(content, "utf-8")
    (home / "bin" / "java").chmod(mode)
    assert refusal().startswith(f"{home}/bin/java cannot be executed (")


def test_another_spark_in_spark_home_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HOME", str(spark(tmp_path / "old", "3.5.1")))
    assert refusal().startswith(f"SPARK_HOME is {tmp_path}/old, a Spark 3.5.1: unset it")
    for nothing in (str(tmp_path / "none"), ""):
        monkeypatch.setenv("SPARK_HOME", nothing)
        assert refusal().startswith(f"SPARK_HOME is {nothing or 'empty'}, which holds no Spark: unset it")
    monkeypatch.setenv("SPARK_HOME", str(spark(tmp_path / "same", pyspark.__version__)))
    with fit_for_spark("local[1]"):
        pass


@pytest.mark.parametrize(
    "given", ["--version", "--help pyspark-shell", "--master local[2]", "", "--name 'x pyspark-shell"]
)
def test_submit_arguments_that_start_no_spark_are_named(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", given)
    with pytest.raises(DatagenError, match=r"PYSPARK_SUBMIT_ARGS is .* unset it"), fit_for_spark("local[1]"):
        pass
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.x='a b' pyspark-shell")
    with fit_for_spark("local[1]"):
        pass


def test_a_spark_that_somebody_else_has_started_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    assert refusal() == "PYSPARK_GATEWAY_PORT is 1, without PYSPARK_GATEWAY_SECRET: unset it."
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost")
    assert refusal() == "SPARK_REMOTE is sc://localhost, and streambench starts a Spark of its own: unset it."


def test_options_of_java_that_keep_it_from_running_are_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(home / "bin" / "java", "echo Too small heap; exit 1")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xmx1k")
    assert "does not run (Too small heap): unset JAVA_TOOL_OPTIONS, or type" in refusal()


def test_a_python_of_another_version_or_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = program(tmp_path / "python", "echo 2.7")
    monkeypatch.setenv("PYSPARK_PYTHON", str(other))
    assert refusal().startswith(f"PYSPARK_PYTHON is {other}, a Python 2.7, and streambench runs on {OURS}: unset it")
    with fit_for_spark("spark://head:7077"):  # the executors' may be right
        pass
    monkeypatch.setenv("PYSPARK_PYTHON", "/x/python")
    assert refusal().startswith("PYSPARK_PYTHON is /x/python, which is no program on this machine: unset it")
    monkeypatch.setenv("PYSPARK_PYTHON", str(program(tmp_path / "broken", "exit 1")))
    assert "broken does not run" in refusal()
    monkeypatch.setenv("PYSPARK_PYTHON", str(program(tmp_path / "ours", f"echo {OURS}")))
    with fit_for_spark("local[1]"):
        pass


def test_java_is_started_where_it_can_name_every_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(home / "bin" / "java", java("ANSI_X3.4-1968"))
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setattr(tempfile, "tempdir", "/tmp/é")
    with fit_for_spark("local[1]"):
        assert os.environ["LC_ALL"] == "C.UTF-8"
    assert os.environ["LC_ALL"] == "C"


def test_a_temporary_folder_that_java_cannot_name_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", os.fsdecode(b"/tmp/\xff"))
    assert "which lacks characters of the temporary folder (TMPDIR) '/tmp/\\udcff': choose a folder" in refusal()
    program(home / "bin" / "java", "echo '    sun.jnu.encoding = ANSI_X3.4-1968'")  # a system without C.UTF-8
    monkeypatch.setattr(tempfile, "tempdir", "/tmp/é")
    assert "names files in ANSI_X3.4-1968, which lacks characters of the temporary folder" in refusal()


def test_only_names_that_java_lacks_are_refused() -> None:
    require_name("/tmp/with blank", "ANSI_X3.4-1968")
    require_name("/tmp/東京", "UTF-8")
    with pytest.raises(DatagenError, match="lacks characters of the folder"):
        require_name("/tmp/東京", "ANSI_X3.4-1968")

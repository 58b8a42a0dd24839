"""A command answers in any locale and encoding, or says in one sentence why not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

NAMES = ["東京", "東京", "naïve", "a\tb", "ann"]
LOCALES: list[dict[str, str]] = [
    {},
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin1"},
    {"PYTHONIOENCODING": "cp1252", "LC_ALL": "C"},
    {"LC_ALL": "C", "COLUMNS": "30"},
    {"LC_ALL": "POSIX", "TERM": "dumb"},
    {"LC_ALL": "nowhere.UTF-8"},
]
ASCII_NAMES = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""Python then decodes names of files as ASCII, of which Arrow can open no other."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("出力 ü")
    for name in ("left", "right"):
        pq.write_table(pa.table({"ts": range(5), "user": NAMES}), folder / f"{name}.parquet")
    return folder


def streambench(words: list[str], changed: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "streambench", *words]
    return subprocess.run(command, env={**os.environ, **changed}, capture_output=True, check=False)


@pytest.mark.parametrize("changed", LOCALES, ids=str)
def test_topk_of_texts_are_answered_in_any_locale(files: Path, changed: dict[str, str]) -> None:
    words = ["topk", str(files / "left.parquet"), "--column", "user"]
    shown = streambench(words, changed)
    assert shown.returncode == 0, shown.stderr
    assert b"ann" in shown.stdout


@pytest.mark.parametrize("changed", LOCALES, ids=str)
def test_a_join_of_texts_is_answered_in_any_locale(files: Path, changed: dict[str, str]) -> None:
    words = ["join", *(str(files / f"{name}.parquet") for name in ("left", "right")), "--window", "0"]
    shown = streambench([*words, "--equal", "user:user"], changed)
    assert shown.returncode == 0, shown.stderr
    assert b"pairs: 5 rows" in shown.stdout


@pytest.mark.parametrize("changed", LOCALES, ids=str)
def test_a_missing_file_is_one_sentence_in_any_locale(files: Path, changed: dict[str, str]) -> None:
    refused = streambench(["topk", str(files / "東京.parquet"), "--column", "user"], changed)
    assert refused.returncode not in (0, None)
    assert refused.stderr.strip()
    assert b"Traceback" not in refused.stderr
    assert b"UnicodeEncodeError" not in refused.stderr


def test_a_file_whose_name_the_locale_cannot_hold_is_refused_in_one_sentence(files: Path) -> None:
    refused = streambench(["topk", str(files / "left.parquet"), "--column", "user"], ASCII_NAMES)
    assert refused.returncode == 2
    assert b"set LC_ALL=C.UTF-8" in b" ".join(refused.stderr.split())
    assert b"Traceback" not in refused.stderr

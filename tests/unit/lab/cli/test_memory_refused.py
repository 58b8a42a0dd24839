"""A command that is refused memory says so in one sentence, whoever asked for it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from streambench.lab import cli

REFUSED_IMPORT = """
import sys
class Finder:
    def find_spec(self, name, *rest):
        if name == "streambench.lab.cli":
            raise ImportError({text!r})
sys.meta_path.insert(0, Finder())
from streambench import entry
entry.main()
"""


def numpys() -> MemoryError:
    with pytest.raises(MemoryError) as seen:
        np.empty(1 << 60, dtype=np.int8)
    return seen.value


@pytest.mark.parametrize("made", [MemoryError, lambda: pa.ArrowMemoryError("malloc of size 64 failed"), numpys])
def test_memory_that_is_refused_is_told_in_one_sentence(
    made: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = made()

    def refused(**_: Any) -> None:
        raise problem

    monkeypatch.setattr(cli.cli, "main", refused)
    with pytest.raises(SystemExit) as end:
        cli.main(["info"])
    said = capsys.readouterr().err
    assert end.value.code == 1
    assert said.startswith("streambench: out of memory: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a.so: failed to map segment from shared object", "streambench: there is too little memory to begin: "),
        ("No module named 'streambench.lab.cli'", "Traceback"),
    ],
)
def test_too_little_memory_to_import_is_told_and_no_other_failure_is_taken_for_it(text: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REFUSED_IMPORT.format(text=text)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith(said)

"""The Python of Spark's workers is named before the first Spark of a process starts, whatever that one is for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
from streambench.datagen import spark
context = spark.session("local[1]").sparkContext
print(context.pythonExec, context._jvm.java.lang.System.getenv("PYSPARK_PYTHON"))
"""


@pytest.mark.parametrize("named", [False, True])
def test_a_session_for_data_has_the_workers_that_a_stream_needs(named: bool, tmp_path: Path) -> None:
    """A stream takes over the session that it finds: its workers could be without the packages of this process."""
    other = tmp_path / "python"
    other.symlink_to(sys.executable)
    expected = str(other) if named else sys.executable
    variables = {**os.environ, "PYSPARK_PYTHON": str(other) if named else ""}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, env=variables)
    assert done.stdout.split() == [expected, expected], done.stderr

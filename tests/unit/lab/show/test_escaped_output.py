"""Output that lacks a character shows it escaped, whoever writes: click, rich and print."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from rich.table import Table

from streambench.lab.show.console import spinner
from streambench.lab.show.escaped_output import escape_output


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("ascii", rb"\u6771 \xe9"), ("latin1", rb"\u6771 " + b"\xe9"), ("utf-8", "東 é".encode())],
)
def test_what_an_encoding_lacks_is_escaped(encoding: str, expected: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    outs = {name: io.TextIOWrapper(io.BytesIO(), encoding=encoding) for name in ("stdout", "stderr")}
    for name, stream in outs.items():
        monkeypatch.setattr(sys, name, stream)
    escape_output()
    click.echo("東 é")
    click.echo("東 é", err=True)
    print("東 é")
    for stream in outs.values():
        stream.flush()
    assert outs["stdout"].buffer.getvalue().splitlines() == [expected, expected]  # type: ignore[attr-defined]
    assert outs["stderr"].buffer.getvalue().splitlines() == [expected]  # type: ignore[attr-defined]


def test_a_table_has_lines_that_ascii_can_show(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    escape_output()
    table = Table("item")
    table.add_row("東")
    console = Console()
    console.print(table)
    console.print(spinner(console).spinner.frames[0])
    out.flush()
    shown = out.buffer.getvalue()  # type: ignore[attr-defined]
    assert rb"\u6771" in shown
    assert shown.count(b"\\u") == 1


def test_output_that_is_closed_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    escape_output()
    assert sys.stdout is None


def test_the_command_escapes_whatever_it_says(tmp_path: Path) -> None:
    file = tmp_path / "東京.parquet"
    pq.write_table(pa.table({"city": ["東京", "東京", "é"]}), file)
    variables = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "streambench", "topk", str(file), "--column"]
    told = [
        subprocess.run([*command, column], capture_output=True, check=False, env=variables) for column in ("city", "é")
    ]
    assert [each.returncode for each in told] == [0, 1]
    assert r"\u6771\u4eac" in told[0].stdout.decode("ascii")
    assert r"\xe9" in told[1].stderr.decode("ascii")
    assert b"Traceback" not in told[1].stderr

"""A full disk or Ctrl-C in the middle of an ingest is told in one line and leaves nothing that looks whole."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ingested import everything

from streambench.datagen import manifest
from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest import ColumnMapping, ingest
from streambench.datagen.ingest import local as ingest_local

SALES = ColumnMapping(table="store_sales", columns={"ts": "when", "ticket": "ticket", "item": "item"})
WORDS = ["--table", "store_sales", "--map", "ts=when", "--map", "ticket=ticket", "--map", "item=item"]


def write(folder: Path, count: int) -> Path:
    file = folder / "sales.csv"
    lines = (f"2020-01-01 00:00:00,{n},item {n * 7919 % count}" for n in range(count))
    file.write_text("when,ticket,item\n" + "\n".join(lines) + "\n")
    return file


def command(*words: str | Path, **options: Any) -> subprocess.Popen[str]:
    program = [sys.executable, "-c", "from streambench.lab.cli import main; main()", "data", "ingest", *map(str, words)]
    return subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def small_files() -> None:
    """No file beyond 20,000 bytes, as on a disk that is full: what would be longer is an error of the write."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


@pytest.mark.parametrize("there", [False, True])
def test_a_disk_that_is_full_is_told_in_one_line(tmp_path: Path, there: bool) -> None:
    file, out = write(tmp_path, 20_000), tmp_path / "out"
    target = ["--into" if there else "--out", out]
    before = {}
    if there:
        (tmp_path / "menu.csv").write_text("name,kind\nitem 1,food\n")
        menu = ColumnMapping(table="item", columns={"item": "name", "category": "kind"})
        ingest(tmp_path / "menu.csv", menu, out=out)
        before = everything(out)
    with command(file, *WORDS, *target, preexec_fn=small_files) as process:
        told, problem = process.communicate()
    assert process.returncode == 1
    assert told == ""
    lines = [line for line in problem.splitlines() if line.strip()]
    assert len(lines) == 1, problem
    assert lines[0].startswith(f"streambench: Cannot write to {out} (")
    assert "make room, or choose another directory" in lines[0]
    assert (everything(out) if out.exists() else {}) == before


@pytest.mark.parametrize("step", ["measure", "keep", "names", "table", "write"])
def test_an_interrupt_at_any_step_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    work = getattr(ingest_local.Local, step)

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        work(*args, **kwargs)
        raise KeyboardInterrupt

    monkeypatch.setattr(ingest_local.Local, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        ingest(write(tmp_path, 10), SALES, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_ctrl_c_ends_the_command_in_one_line(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (tmp_path / "in").mkdir()
    file = write(tmp_path / "in", 400_000)
    with command(file, *WORDS, "--out", out) as process:
        while not (out / manifest.MARKER).exists() and process.poll() is None:
            pass
        process.send_signal(signal.SIGINT)
        told, problem = process.communicate()
    assert (process.returncode, told) == (130, "")
    assert problem.strip().splitlines()[-1] == "streambench: interrupted; nothing was left half-written"
    assert "Traceback" not in problem
    assert not out.exists()


def test_a_file_that_goes_while_it_is_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, 10)

    def gone(*args: Any, **kwargs: Any) -> Any:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("streambench.datagen.ingest.source.batches", gone)
    with pytest.raises(DatagenError, match=r"sales\.csv cannot be read to its end .*Input/output error"):
        ingest(file, SALES, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()

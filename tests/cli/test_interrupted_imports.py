"""Ctrl-C in the middle of an import is neither lost nor turned into something else."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import click
import pyarrow.parquet as pq
import pytest

from streambench.lab.cli import cli
from streambench.lab.host import interrupts

pytestmark = pytest.mark.slow  # a process for each moment


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_waits_for_the_end_of_the_import(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = []

    def slow_import(name: str) -> None:
        press_ctrl_c()
        imported.append(name)

    handler = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(importlib, "import_module", slow_import)
    with pytest.raises(KeyboardInterrupt):
        cli.get_command(click.Context(cli), "info")
    assert imported == ["streambench.lab.cli.info"]
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_that_came_is_answered_after_the_block(number: signal.Signals) -> None:
    answered: list[int] = []
    before = {each: signal.signal(each, lambda number, frame: answered.append(number)) for each in interrupts.SIGNALS}
    try:
        with interrupts.held():
            for each in (number, *interrupts.SIGNALS):
                os.kill(os.getpid(), each)
            assert answered == []
        assert answered == [number]
        os.kill(os.getpid(), number)
        assert answered == [number, number]
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def test_an_error_in_the_block_is_raised_and_the_handler_is_back() -> None:
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(ImportError), interrupts.held():
        raise ImportError
    assert signal.getsignal(signal.SIGINT) is handler


def test_other_threads_leave_the_handler_alone() -> None:
    handler, seen = signal.getsignal(signal.SIGINT), []

    def body() -> None:
        with interrupts.held():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert seen == [handler]


PRESSED_AT_AN_IMPORT = """
import os, runpy, signal, sys

class Pressing:
    awaited = sys.argv.pop(1)

    def find_spec(self, name, path=None, target=None):
        if name == self.awaited:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Pressing())
runpy.run_module("streambench", run_name="__main__", alter_sys=True)
"""
"""Runs the command line; Ctrl-C comes as soon as a module of that name begins to be imported. No
audit hook: what is raised in one is lost where C code imports a module that need not be there.
"""

IN_A_RUN = (
    "streambench.lab.cli",
    "click",
    "click.core",
    "streambench.lab.data.catalog",
    "numpy",
    "numpy._core._multiarray_umath",
    "pyarrow",
    "pyarrow.lib",
    "pyarrow.parquet",
    "streambench.pyx.shared_utility",
    "streambench.pyx.ordered.ordered_engine",
    "rich.live",
    "duckdb",
    "pandas.compat",
    "pandas._libs.interval",
)


@pytest.mark.parametrize("name", IN_A_RUN)
def test_ctrl_c_at_any_import_of_a_run_ends_it_with_one_sentence(name: str, data: Path) -> None:
    """``python -m streambench`` as it is, from its first file on: no handler of the test's."""
    out = data.parent / "answer.parquet"
    command = [sys.executable, "-c", PRESSED_AT_AN_IMPORT, name, "run", "q1", "--data", data, "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = [line for line in done.stderr.splitlines() if line.strip()]
    assert (done.returncode, told) == (130, ["streambench: interrupted; nothing was left half-written"]), done.stderr
    assert not out.exists() or pq.read_table(out).num_rows > 0  # the command may have been through by then


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_waited_for_an_import_till_the_command_was_through_is_not_lost(number: signal.Signals) -> None:
    script = (
        "import sys; from streambench import entry; sys.argv[1:] = ['--version']; entry.awaits_import = True; "
        f"entry.terminated = {number == signal.SIGTERM}; entry.main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, "interrupted" in done.stderr) == (128 + number, True), done.stderr


def test_nothing_but_the_command_itself_changes_the_process_signals() -> None:
    script = (
        "import signal, streambench.lab.cli, streambench.lab.workloads.runner; print(signal.getsignal(signal.SIGINT))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "default_int_handler" in done.stdout

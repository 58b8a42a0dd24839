"""Ctrl-C in the middle of an import is neither lost nor turned into something else."""

from __future__ import annotations

import importlib
import os
import signal
import threading

import click
import pytest

from streambench import interrupts
from streambench.cli import cli


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
    assert imported == ["streambench.cli.info"]
    assert signal.getsignal(signal.SIGINT) is handler


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

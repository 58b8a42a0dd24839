"""Runs with checkpoints, for tests: one after each unit, ended by a fault, gone on with as somebody else would."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

import streambench
from streambench.execution import checkpoints as module


class AtOnce:
    """Stands in for the thread that writes."""

    def __init__(self, *how: object) -> None:
        pass

    def submit(self, call: Callable[..., None], *given: object) -> Future[None]:
        future: Future[None] = Future()
        try:
            call(*given)
            future.set_result(None)
        except BaseException as problem:
            future.set_exception(problem)
        return future

    def shutdown(self) -> None:
        pass


def write_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint is on what passes for a disk before the next unit begins."""
    monkeypatch.setattr(module, "ThreadPoolExecutor", AtOnce)
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def fault(at: int | None) -> Any:
    """An operator that refuses the row whose ``number`` is that, and passes on all others."""

    @streambench.mapped(appends="fault", numba=False)
    def fault(number: int) -> int:
        if number == at:
            raise RuntimeError("the power is gone")
        return 0

    return fault


def run(operators: list[Any], state: Path, *, fails: bool, **how: Any) -> Any:
    """A run with a checkpoint after each unit; it ends with the stream, or ``fails`` at the fault."""
    pipeline = streambench.Pipeline(operators)
    if not fails:
        return pipeline.run(checkpoint=state, every=1e-9, pin=False, **how)
    with pytest.raises(streambench.OperatorError, match="the power is gone"):
        pipeline.run(checkpoint=state, every=1e-9, pin=False, **how)
    return None

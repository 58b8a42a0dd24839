"""Memory that was had and given back is made ready for the next run, unless that is forgotten."""

from __future__ import annotations

import numpy as np
import pytest

from streambench.host import ready_memory

MIB = 1 << 20


def can_forget() -> bool:
    try:
        ready_memory.CLEAR.write_text("5")
    except OSError:
        return False
    return "VmHWM" in ready_memory.STATUS.read_text()


def take_and_give_back(size: int) -> None:
    np.ones(size, dtype=np.uint8)


@pytest.mark.slow
@pytest.mark.skipif(not can_forget(), reason="the system keeps no peak of a process's memory that can be forgotten")
def test_what_was_given_back_is_touched_and_no_more() -> None:
    ready_memory.forget_peak()
    take_and_give_back(256 * MIB)
    assert 200 * MIB < ready_memory.make_ready() < 320 * MIB
    assert 200 * MIB < ready_memory.make_ready() < 320 * MIB  # the peak has not grown by it
    ready_memory.forget_peak()
    assert ready_memory.make_ready() < 64 * MIB


def test_where_the_system_keeps_no_such_sizes_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready_memory, "STATUS", ready_memory.STATUS.with_name("no such file"))
    monkeypatch.setattr(ready_memory, "CLEAR", ready_memory.CLEAR.with_name("no_such_file"))
    ready_memory.forget_peak()
    assert ready_memory.make_ready() == 0


def test_memory_that_is_refused_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no memory")

    monkeypatch.setattr(ready_memory, "_status", lambda name: 1 << 30 if name == "VmHWM" else 0)
    monkeypatch.setattr(ready_memory.mmap, "mmap", refuse)
    assert ready_memory.make_ready() == 0

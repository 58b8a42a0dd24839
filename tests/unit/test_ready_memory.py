"""Memory that was had and given back is made ready for the next run, unless that is forgotten."""

from __future__ import annotations

import numpy as np
import pytest

from streambench import ready_memory

MIB = 1 << 20


def take_and_give_back(size: int) -> None:
    np.ones(size, dtype=np.uint8)


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

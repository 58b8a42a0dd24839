"""How long threads have waited for a core: read from what the system keeps, and nothing where it keeps nothing."""

from __future__ import annotations

import hashlib
import os
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from streambench.pyx.machine.run_queue import waited_here

PATIENCE = 60.0  # seconds, of which some milliseconds are needed


@pytest.fixture
def account(tmp_path: Path) -> Callable[[str], int]:
    """A descriptor of a file with such a text, which is the reader's to close."""

    def made(text: str) -> int:
        path = tmp_path / "schedstat"
        path.write_text(text)
        return os.open(path, os.O_RDONLY)

    return made


@pytest.mark.parametrize(
    ("text", "waited"),
    [
        ("81234567 4567 89\n", 4567),
        ("0 12345678901234 1\n", 12345678901234),
        ("5 0 1\n", 0),
        ("7 42", 42),
        ("81234567", 0),
        ("", 0),
    ],
)
def test_what_a_thread_has_waited_is_the_second_number_of_its_account(
    probes: SimpleNamespace, account: Callable[[str], int], text: str, waited: int
) -> None:
    queues = probes.Queues(1)
    queues.read_from(0, account(text))
    assert queues.longest() == waited


def test_the_longest_wait_since_it_was_last_asked_for_is_told(probes: SimpleNamespace, tmp_path: Path) -> None:
    files = [tmp_path / str(k) for k in range(3)]
    queues = probes.Queues(3)

    def waited(*ns: int) -> int:
        for path, each in zip(files, ns, strict=True):
            path.write_text(f"1 {each} 1\n")
        found: int = queues.longest()
        return found

    for k, path in enumerate(files):
        path.write_text("1 0 1\n")
        queues.read_from(k, os.open(path, os.O_RDONLY))
    assert waited(10, 70, 30) == 70
    assert waited(10, 70, 30) == 0
    assert waited(60, 75, 30) == 50
    assert waited(61, 75, 90) == 60


def test_where_the_system_keeps_no_account_nobody_has_waited(
    probes: SimpleNamespace, account: Callable[[str], int]
) -> None:
    """As where there are no more descriptors: of the others it is told all the same."""
    queues = probes.Queues(2)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    queues.read_from(0, account("1 500 1"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        queues.open(0)
        queues.open(1)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert queues.longest() == 0
    queues.read_from(1, account("1 300 1"))
    assert queues.longest() == 300


@pytest.mark.skipif(waited_here() < 0, reason="the system does not tell how long threads wait")
def test_what_a_thread_has_waited_grows_while_another_is_on_its_core(probes: SimpleNamespace) -> None:
    """Both are at work without the GIL; each has the core for some milliseconds at a time."""
    allowed = os.sched_getaffinity(0)
    work, core, stop = bytes(1 << 22), {min(allowed)}, threading.Event()

    def burn() -> None:
        os.sched_setaffinity(0, core)
        while not stop.is_set():
            hashlib.sha256(work)

    other = threading.Thread(target=burn)
    before, queues = waited_here(), probes.Queues(1)
    queues.open(0)
    queues.longest()
    other.start()
    try:
        os.sched_setaffinity(0, core)
        found, until = [before], time.monotonic() + PATIENCE
        while found[-1] == before and time.monotonic() < until:
            hashlib.sha256(work)
            found.append(waited_here())
        assert found == sorted(found)
        assert found[-1] > before >= 0
        assert queues.longest() > 0
    finally:
        stop.set()
        other.join()
        os.sched_setaffinity(0, allowed)

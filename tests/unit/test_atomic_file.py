"""A file is there whole or not at all, whatever fails or interrupts; one that must not be overwritten never is."""

from __future__ import annotations

import errno
import itertools
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any

import pytest

from streambench.lab import atomic_file

NEW = b"new" * 1000
NAMES = ("a", "a-2", "a-3")
Room = Callable[[int], AbstractContextManager[None]]
WAYS: dict[str, Callable[[Path], object]] = {
    "replace": lambda folder: atomic_file.replace(folder / "a", NEW),
    "replace by a writer": lambda folder: atomic_file.replace(folder / "a", in_pieces),
    "create": lambda folder: atomic_file.create(folder, NAMES, NEW),
    "probe": lambda folder: atomic_file.probe(folder, len(NEW)),
}


def in_pieces(file: IO[bytes]) -> None:
    for _ in range(10):
        file.write(b"new" * 100)


def no_links(*_: object) -> None:
    raise OSError(errno.EPERM, "no links here")


@pytest.fixture(params=["", "old"], ids=["nothing there", "an old file there"])
def held(tmp_path: Path, request: pytest.FixtureRequest) -> dict[str, bytes]:
    """What the folder holds before."""
    if request.param:
        (tmp_path / "a").write_bytes(b"old")
    return contents(tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("way", WAYS)
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, held: dict[str, bytes], way: str, room: Room) -> None:
    with room(1000), pytest.raises(OSError, match="File too large"):
        WAYS[way](tmp_path)
    assert contents(tmp_path) == held


@pytest.mark.parametrize("way", WAYS)
def test_a_folder_without_permission_or_missing_is_an_error_of_the_system(tmp_path: Path, way: str) -> None:
    with pytest.raises(FileNotFoundError):
        WAYS[way](tmp_path / "missing")
    if os.geteuid():  # root may write everywhere
        tmp_path.chmod(0o500)
        with pytest.raises(PermissionError):
            WAYS[way](tmp_path)
    assert contents(tmp_path) == {}


@contextmanager
def interrupted(line: int) -> Iterator[list[str]]:
    """Ctrl-C comes before the ``line``-th line that is run outside the clean-up; in the list is where that was."""
    left, there = line, []

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in (atomic_file.__file__, __file__) or frame.f_code.co_name == "draft":
            return None
        left -= event == "line"
        if left == 0 and event == "line":
            there.append(f"{frame.f_code.co_name}:{frame.f_lineno}")
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield there
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("way", WAYS)
def test_ctrl_c_at_any_line_leaves_what_was_there_or_the_whole_file(
    tmp_path: Path, held: dict[str, bytes], way: str
) -> None:
    stopped: list[str] = []
    for line in itertools.count(1):
        folder = tmp_path / str(line)
        folder.mkdir()
        for name, content in held.items():
            (folder / name).write_bytes(content)
        with suppress(KeyboardInterrupt), interrupted(line) as where:
            WAYS[way](folder)
        left = contents(folder)
        if not where:
            break
        if left == held:
            stopped += where
        else:
            assert left == held | {"a-2" if held and way == "create" else "a": NEW}, where
    assert len(stopped) >= 4, stopped


def test_an_interrupted_rename_leaves_the_new_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = Path.replace

    def late(self: Path, target: Path) -> None:
        true(self, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", late)
    with pytest.raises(KeyboardInterrupt):
        atomic_file.replace(tmp_path / "a", NEW)
    assert contents(tmp_path) == {"a": NEW}


@pytest.mark.parametrize("links", [True, False])
def test_what_is_created_never_overwrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", no_links)
    made = [atomic_file.create(tmp_path, NAMES, name.encode()) for name in NAMES]
    with pytest.raises(FileExistsError, match="all others of its kind"):
        atomic_file.create(tmp_path, NAMES, NEW)
    assert [path.name for path in made] == list(NAMES)
    assert contents(tmp_path) == {name: name.encode() for name in NAMES}


def test_a_reserved_name_is_given_back_where_the_file_cannot_take_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "hardlink_to", no_links)
    monkeypatch.setattr(Path, "replace", no_links)
    with pytest.raises(OSError, match="no links here"):
        atomic_file.create(tmp_path, NAMES, NEW)
    assert contents(tmp_path) == {}


def test_a_file_is_on_disk_before_it_gets_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(os, "fsync", lambda file: seen.append((os.fstat(file).st_size, (tmp_path / "a").exists())))
    WAYS["replace by a writer"](tmp_path)
    assert seen == [(len(NEW), False)]


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_the_umask_says_who_may_read_it(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        for way in ("replace", "create"):
            WAYS[way](tmp_path)
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o666 & ~umask}


def test_two_who_write_at_once_write_one_whole_file(tmp_path: Path) -> None:
    def meanwhile(file: IO[bytes]) -> None:
        file.write(b"half")
        atomic_file.replace(tmp_path / "a", b"the other's")
        file.write(b" and half")

    atomic_file.replace(tmp_path / "a", meanwhile)
    assert contents(tmp_path) == {"a": b"half and half"}

"""A checkpoint's file holds what was saved, or is refused in a sentence; the last two are kept."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as drawn

from streambench.checkpoints.checkpoint import FORMAT, Checkpoint
from streambench.checkpoints.folder import CheckpointFolder
from streambench.errors import DataError, OptionError
from streambench.pyx.state.checksum import checksum

TYPES = st.sampled_from(["int64", "uint64", "int8", "uint8", "float64"])
ARRAYS = drawn.arrays(TYPES, drawn.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=40))
STATES = st.lists(st.dictionaries(st.text("abc", min_size=1, max_size=3), ARRAYS, max_size=3), max_size=4)


def some(row: int) -> Checkpoint:
    return Checkpoint(row, ("source", "sink"), ({"row": np.array([row])}, {"bytes": np.arange(300, dtype=np.uint8)}))


def written(checkpoint: Checkpoint, folder: Path) -> Path:
    buffer = io.BytesIO()
    checkpoint.write(buffer)
    (folder / "one").write_bytes(buffer.getvalue())
    return folder / "one"


@given(states=STATES, row=st.integers(0, 2**62), finished=st.booleans())
def test_what_is_read_is_what_was_written(states: Any, row: int, finished: bool, tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("checkpoint")
    found = Checkpoint.read(written(Checkpoint(row, ("a", "b"), tuple(states), finished), folder))
    assert (found.row, found.pipeline, found.finished) == (row, ("a", "b"), finished)
    assert len(found.states) == len(states)
    for was, is_now in zip(states, found.states, strict=True):
        assert was.keys() == is_now.keys()
        for name in was:
            assert was[name].dtype == is_now[name].dtype
            np.testing.assert_array_equal(was[name], is_now[name])


def test_a_file_with_any_byte_changed_or_cut_is_refused(tmp_path: Path) -> None:
    whole = written(some(7), tmp_path).read_bytes()
    header = whole.index(b"}") + 1
    payload = len(whole) - 320  # 300 bytes, padded
    for at in (*range(0, header, 7), *range(payload, payload + 300, 13)):
        (tmp_path / "one").write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(DataError, match=r"^the checkpoint .*one (is damaged: remove it|has format)"):
            Checkpoint.read(tmp_path / "one")
    for size in (0, 10, 64, len(whole) - 64, len(whole) - 1):
        (tmp_path / "one").write_bytes(whole[:size])
        with pytest.raises(
            DataError, match=r"^the checkpoint .*one is damaged: remove it to go on from the one before"
        ):
            Checkpoint.read(tmp_path / "one")


def test_another_format_is_named(tmp_path: Path) -> None:
    file = written(some(7), tmp_path)
    file.write_bytes(file.read_bytes().replace(b"checkpoint 1 ", b"checkpoint 9 ", 1))
    with pytest.raises(DataError, match=rf"has format 9, and this version of streambench reads {FORMAT}: go on with"):
        Checkpoint.read(file)


def test_the_last_two_are_kept_and_half_written_ones_ignored(tmp_path: Path) -> None:
    (tmp_path / ".checkpoint-00000000000000000099.state.unfinished").write_bytes(b"half")
    folder = CheckpointFolder(tmp_path)
    assert folder.newest() is None
    for row in (3, 20, 70, 100):  # over the first, of which nothing is left
        folder.put(some(row) if row > 3 else Checkpoint(3, ("a",), ({"long": np.arange(1000)},)))
    folder.close()
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "checkpoint-00000000000000000070.state",
        "checkpoint-00000000000000000100.state",
        "lock",
    ]
    newest = folder.newest()
    assert newest is not None
    assert newest.row == 100


def test_a_folder_is_one_runs_at_a_time_and_free_after_a_kill(tmp_path: Path) -> None:
    code = (
        "import sys, time, pathlib\nfrom streambench.checkpoints.folder import CheckpointFolder\n"
        "CheckpointFolder(pathlib.Path(sys.argv[1])); print('on', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    with pytest.raises(OptionError, match="another run has its checkpoints in"):
        CheckpointFolder(tmp_path)
    process.kill()
    process.communicate()
    CheckpointFolder(tmp_path).close()


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot hold checkpoints"):
        CheckpointFolder(tmp_path / "file")


@given(data=st.binary(max_size=200), at=st.integers(0, 199), bit=st.integers(0, 7))
def test_a_checksum_tells_any_bit_and_any_length(data: bytes, at: int, bit: int) -> None:
    assert checksum(data) != checksum(data + b"\0")
    if at < len(data):
        other = bytearray(data)
        other[at] ^= 1 << bit
        assert checksum(bytes(other)) != checksum(data)

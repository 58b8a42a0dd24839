"""One checkpoint, and the file that it is.

A line names the format, and says how long the header is and what its checksum. The header, in JSON, names the arrays:
of which operator each is, its type and shape, where it lies in the file and what its checksum is. Arrays follow, each
from a multiple of 64 bytes on.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from streambench.errors import DataError
from streambench.pyx.state.checksum import checksum
from streambench.pyx.tuples.data_types import State

FORMAT = 1
ALIGNMENT = 64


@dataclass(frozen=True)
class Checkpoint:
    """The state behind ``row`` rows of the stream. ``pipeline``: see ``identity``; ``states``: of its operators.

    ``finished``: the stream and its sinks have ended.
    """

    row: int
    pipeline: tuple[str, ...]
    states: tuple[State, ...]
    finished: bool = False

    def write(self, file: IO[bytes]) -> None:
        """Write it from the beginning of the file on."""
        listed, arrays, at = [], [], 0
        for place, state in enumerate(self.states):
            for name, array in state.items():
                flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
                listed.append([place, name, array.dtype.str, array.shape, at, checksum(flat)])
                arrays.append(flat)
                at += _aligned(len(flat))
        told = {"row": self.row, "finished": self.finished, "operators": len(self.states)}
        header = json.dumps({**told, "pipeline": self.pipeline, "bytes": at, "arrays": listed}).encode()
        line = f"streambench checkpoint {FORMAT} {len(header)} {checksum(header):016x}\n".encode()
        file.write(_padded(line + header))
        for each in arrays:
            file.write(each.data)
            file.write(bytes(_aligned(len(each)) - len(each)))

    @classmethod
    def read(cls, file: Path) -> Checkpoint:
        """The checkpoint in a file, whose memory its arrays share. Raises DataError for what is none, or a damaged one,
        and OSError."""
        content = np.fromfile(file, np.uint8)
        line = content[:ALIGNMENT].tobytes()
        found = re.match(rb"streambench checkpoint (\d+) (\d+) ([0-9a-f]{16})\n", line)
        if found is None:
            raise _damaged(file)
        if int(found[1]) != FORMAT:
            raise DataError(
                f"the checkpoint {file} has format {int(found[1])}, and this version of streambench reads {FORMAT}: go "
                "on with the version that wrote it, or name an empty folder by checkpoint=."
            )
        end = found.end() + int(found[2])
        if checksum(content[found.end() : end]) != int(found[3], 16):
            raise _damaged(file)
        header = json.loads(content[found.end() : end].tobytes())
        arrays = content[_aligned(end) :]
        if len(arrays) != header["bytes"]:
            raise _damaged(file)
        states: list[dict[str, npt.NDArray[Any]]] = [{} for _ in range(header["operators"])]
        for place, name, kind, shape, at, expected in header["arrays"]:
            dtype = np.dtype(kind)
            flat = arrays[at : at + dtype.itemsize * int(np.prod(shape))]
            if checksum(flat) != expected:
                raise _damaged(file)
            states[place][name] = flat.view(dtype).reshape(shape)
        return cls(header["row"], tuple(header["pipeline"]), tuple(states), header["finished"])


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _padded(content: bytes) -> bytes:
    return content.ljust(_aligned(len(content)), b"\0")


def _damaged(file: Path) -> DataError:
    return DataError(
        f"the checkpoint {file} is damaged: remove it to go on from the one before it, or name an empty folder by "
        "checkpoint=."
    )

"""Encode the frames of a video on several threads, and write them in the order in which they were read."""

import threading
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from streambench import OrderedScheduler

WORKERS = 4


def video() -> Iterator[bytes]:
    """Sixty frames; the eighteenth is damaged."""
    for number in range(60):
        yield b"" if number == 17 else bytes([number]) * 100_000


def encode(frame: bytes) -> bytes:
    if not frame:
        raise ValueError("a frame without pixels")
    return zlib.compress(frame)  # releases the GIL: the frames are encoded in parallel


frames = video()
reading = threading.Lock()
scheduler = OrderedScheduler()
written: list[bytes] = []


def work() -> None:
    while True:
        with reading:  # a frame and its ticket belong together
            frame = next(frames, None)
            if frame is None:
                return
            ticket = scheduler.ticket()
        try:
            encoded = encode(frame)
        except Exception as error:
            scheduler.trash(ticket)  # without this the later frames would wait for this one for ever
            print(f"ticket {ticket} trashed: {error}")
        else:
            scheduler.run(ticket, partial(written.append, encoded))


with ThreadPoolExecutor(WORKERS) as pool:
    for worker in [pool.submit(work) for _ in range(WORKERS)]:
        worker.result()

numbers = [zlib.decompress(encoded)[0] for encoded in written]
print(f"{len(numbers)} frames written, in order: {numbers == sorted(numbers)}")

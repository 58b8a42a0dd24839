"""Record batches that come when they come, from an iterator or an async iterator."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable, Iterator
from contextlib import suppress
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from streambench.data.channel import Channel
from streambench.errors import DataError, OptionError, StreambenchError
from streambench.pyx.tuples.data_types import State
from streambench.pyx.tuples.heartbeat import Heartbeat
from streambench.pyx.tuples.table_source import NOT_YET
from streambench.pyx.tuples.whole_number import whole_number

ROOM_SECONDS = 0.005
"""How often an async feed looks for room: it must not wait in the loop, and the loop's threads are the user's."""

Fed: TypeAlias = pa.RecordBatch | pa.Table | Heartbeat
"""What a feed's iterator gives."""


class Feed:
    """``batches``: an iterator or async iterator of record batches or tables of ``schema``, or of heartbeats.

    A source of a pipeline that never makes workers wait: a thread of its own reads ``batches``, ``batches_ahead`` of
    them ahead. What an async iterator does is done by the event loop that runs where the feed is made, or else by one
    of that thread. It can be read only once. A generator is closed when nobody reads it any more: an async one at once,
    another as soon as it gives its next batch. Raises OptionError for what is no iterator, or no schema.

    ``resume``: a function of a row's number, of which the first is 0, that gives such an iterator from that row on:
    what a run with checkpoints goes on with.
    """

    def __init__(
        self,
        batches: Iterable[Fed] | AsyncIterable[Fed],
        schema: pa.Schema,
        *,
        batches_ahead: int = 4,
        resume: Callable[[int], Iterable[Fed] | AsyncIterable[Fed]] | None = None,
    ) -> None:
        if not isinstance(batches, Iterable | AsyncIterable):
            raise OptionError(f"a Feed takes an iterator or async iterator of batches, not a {type(batches).__name__}.")
        if not isinstance(schema, pa.Schema):
            raise OptionError(f"`schema` of a Feed must be a pyarrow.Schema, not {schema!r}.")
        if resume is not None and not callable(resume):
            raise OptionError(f"`resume` of a Feed must be a function of a row's number, not {resume!r}.")
        self.schema = schema
        self._batches = batches
        self._resume = resume
        self._channel: Channel[pa.RecordBatch | Heartbeat] = Channel(whole_number("batches_ahead", batches_ahead, 1))
        self._problem: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reading: tuple[asyncio.AbstractEventLoop, asyncio.Task[None]] | None = None
        self._used = False
        if isinstance(batches, AsyncIterable):
            self._loop = _running_loop()

    @property
    def needs_this_loop(self) -> bool:
        """Whether the event loop that runs in this thread reads it."""
        return self._loop is not None and self._loop is _running_loop()

    def batches(self) -> Iterator[pa.RecordBatch | Heartbeat | object]:
        """What has come, and ``NOT_YET`` where nothing has. Raises DataError where it has been read, and what the
        iterator raised, after all that came before."""
        if self._used:
            raise DataError("this Feed has been read, and can be only once: make a new one for each run.")
        self._used = True
        threading.Thread(target=self._read, name="streambench feed", daemon=True).start()
        try:
            while not self._channel.is_over:
                batch = self._channel.take_now()
                yield NOT_YET if batch is None else batch
        finally:  # the pipeline may be gone before the end
            self.close()
        if self._problem is not None:
            raise self._problem

    @property
    def returns(self) -> bool:
        """Whether it can go on at a row that it has given."""
        return self._resume is not None

    def position(self, row: int) -> State:
        """What ``seek`` needs to go on at ``row``."""
        return {"row": np.array([row])}

    def seek(self, position: State) -> None:
        """Give what comes from there on, before anything is read."""
        assert self._resume is not None
        row = int(position["row"][0])
        try:
            self._batches = self._resume(row)
        except StreambenchError:
            raise
        except Exception as problem:  # of the user's
            raise DataError(f"`resume` of a Feed fails at row {row} ({problem!r}): correct it.") from problem

    def close(self) -> None:
        """Nobody reads it any more."""
        self._channel.leave()
        reading = self._reading
        if reading is not None:
            with suppress(RuntimeError):  # the loop is closed
                reading[0].call_soon_threadsafe(self._cancel, reading[1])

    def _read(self) -> None:
        try:
            if not isinstance(self._batches, AsyncIterable):
                self._read_all(iter(self._batches))
            elif self._loop is None:
                asyncio.run(self._read_async(self._batches))
            else:
                asyncio.run_coroutine_threadsafe(self._read_async(self._batches), self._loop).result()
        except BaseException as problem:  # raised where it belongs, by who reads the batches
            self._problem = problem
        self._channel.end()

    def _read_all(self, batches: Iterator[Fed]) -> None:
        try:
            for fed in batches:
                if not all(map(self._channel.put, _batches_of(fed))):
                    return
        finally:
            if isinstance(batches, Generator):
                batches.close()

    async def _read_async(self, batches: AsyncIterable[Fed]) -> None:
        iterator = aiter(batches)
        task = asyncio.current_task()
        assert task is not None
        self._reading = asyncio.get_running_loop(), task
        try:
            while not self._is_left:
                for batch in _batches_of(await anext(iterator)):
                    while not self._channel.has_room:
                        await asyncio.sleep(ROOM_SECONDS)
                    self._channel.put(batch)  # at once: nobody else puts
        except StopAsyncIteration:
            pass
        except asyncio.CancelledError:
            if not self._is_left:
                raise
        finally:
            self._reading = None  # nobody cancels what the generator does at its end
            if isinstance(iterator, AsyncGenerator):
                await iterator.aclose()

    def _cancel(self, task: asyncio.Task[None]) -> None:
        """Once, by the loop."""
        if self._reading is not None:
            self._reading = None
            task.cancel()

    @property
    def _is_left(self) -> bool:
        return self._channel.wait_to_be_left(0)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _batches_of(fed: Fed) -> list[pa.RecordBatch | Heartbeat]:
    if isinstance(fed, pa.Table):
        return list(fed.to_batches())
    if not isinstance(fed, pa.RecordBatch | Heartbeat):
        raise DataError(f"a Feed's iterator gives a {type(fed).__name__}, no RecordBatch, table or Heartbeat.")
    return [fed]

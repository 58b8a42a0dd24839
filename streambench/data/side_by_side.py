"""Row groups decoded side by side, a batch of one column at a time, by whoever has time; given in order, few ahead."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from streambench.errors import DataError
from streambench.pyx.tuples.table_source import NOT_YET

Array = npt.NDArray[Any]


@dataclass
class Lane:
    """One column of a row group: ``batches`` decodes the next of its batches whenever it is asked, by one at a time.

    ``at``: the number in the stream of the batch that it decodes next; ``end``: the first one that is the next group's.
    """

    batches: Iterator[Array]
    at: int
    end: int
    busy: bool = False
    decoded: deque[Array | BaseException] = field(default_factory=deque)


@dataclass(frozen=True)
class RowGroup:
    """``batches`` of each of its ``columns``, which are all cut at the same rows."""

    batches: int
    columns: tuple[Iterator[Array], ...]


class SideBySide:
    """An iterator over the batches of ``groups``, for a ``BatchSource``: the columns, or ``NOT_YET``.

    ``work_ahead``, which any threads may call at any time, decodes a column of a batch, of no more than ``ahead``
    batches beyond those given. A thread stays with its row group; then it begins the earliest that nobody has, and then
    it helps with the earliest batch there is. So the memory that a group is decoded in mostly stays in one core's
    cache. A column's batches are decoded one after the other. What ``groups`` or a column raises is raised in its
    batch's place.
    """

    def __init__(self, groups: Iterable[RowGroup], ahead: int) -> None:
        self._groups = iter(groups)
        self._ahead = ahead
        self._lock = threading.Lock()  # guards all below, and `groups`
        self._open: deque[list[Lane]] = deque()  # the groups that are being decoded or given
        self._last: dict[int, list[Lane]] = {}  # of those, the one that a thread has decoded last
        self._opened = 0  # batches of all groups that were opened
        self._given = 0
        self._ended = False  # there are no more groups
        self._problem: BaseException | None = None  # why, if they should have gone on

    def __iter__(self) -> Iterator[Any]:
        return self

    def work_ahead(self) -> bool:
        """Decode a column of a batch; False where there is none to decode just now."""
        with self._lock:
            lane = self._next_lane(threading.get_ident())
            if lane is None:
                return False
            lane.busy = True
        decoded: Array | BaseException
        try:
            decoded = next(lane.batches)
        except StopIteration:
            decoded = DataError("A file changed while it was read: let its writer finish, then try again.")
        except BaseException as problem:  # raised where it belongs: by who asks for the batch
            decoded = problem
        with self._lock:
            lane.decoded.append(decoded)
            lane.at = lane.end if isinstance(decoded, BaseException) else lane.at + 1
            lane.busy = False
        return True

    def __next__(self) -> Any:
        with self._lock:
            self._open_groups()
            if not self._open:
                raise self._problem or StopIteration
            lanes = self._open[0]
            if not all(lane.decoded for lane in lanes):
                return NOT_YET
            batch = [lane.decoded.popleft() for lane in lanes]
            self._given += 1
            if self._given == lanes[0].end:
                self._open.popleft()
                self._last = {thread: group for thread, group in self._last.items() if group is not lanes}
        for column in batch:
            if isinstance(column, BaseException):
                raise column
        return batch

    def _next_lane(self, thread: int) -> Lane | None:
        """What ``thread`` is to decode; that it has begun with the group is noted."""
        self._open_groups()
        most = min(self._opened, self._given + self._ahead)
        mine = self._last.get(thread)
        busy = {id(group) for group in self._last.values()}
        helped: list[Lane] = []
        for lanes in (*([mine] if mine else []), *self._open):  # its own, then the earliest first
            free = [lane for lane in lanes if not lane.busy and lane.at < min(lane.end, most)]
            if free and (lanes is mine or id(lanes) not in busy):
                helped, group = free, lanes
                break
            if free and not helped:
                helped, group = free, lanes
        if not helped:
            return None
        self._last[thread] = group
        return min(helped, key=lambda lane: lane.at)

    def _open_groups(self) -> None:
        """Open row groups until as many batches as may be ahead are theirs."""
        while not self._ended and self._opened < self._given + self._ahead:
            group = None
            try:
                group = next(self._groups, None)
            except BaseException as problem:  # raised where it belongs, as that of a column
                self._problem = problem
            if group is None:
                self._ended = True
                return
            begin, self._opened = self._opened, self._opened + group.batches
            self._open.append([Lane(batches, begin, self._opened) for batches in group.columns])

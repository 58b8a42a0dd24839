"""A bounded queue between two threads, either of which may go."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

LOOK_SECONDS = 0.1  # between two looks at whether an item is still wanted
Item = TypeVar("Item")


class Channel(Generic[Item]):
    """``room``: items that may wait in it. No method but ``put`` and ``take`` waits."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._changed = threading.Condition()  # guards all below; what garbage does may come amid it
        self._items: deque[Item] = deque()
        self._ended = False  # no more will come
        self._left = False  # nobody takes any more
        self._watch: Callable[[], None] = _nothing
        self.most_waiting = 0

    def put(self, item: Item, is_wanted: Callable[[], bool] = lambda: True) -> bool:
        """Wait for room, and let the other side have ``item``. False, and it is dropped, where nobody takes, or it is
        not wanted any more."""
        with self._changed:
            while not self._changed.wait_for(lambda: self._left or len(self._items) < self._room, LOOK_SECONDS):
                if not is_wanted():
                    return False
            if not self._left:
                self._items.append(item)
                self.most_waiting = max(self.most_waiting, len(self._items))
                self._changed.notify_all()
                self._watch()
            return not self._left

    def watch(self, watch: Callable[[], None]) -> None:
        """From now on call ``watch``, which must not wait, when an item comes and when no more will."""
        self._watch = watch

    @property
    def has_room(self) -> bool:
        """Whether ``put`` would return at once."""
        return self._left or len(self._items) < self._room

    def take(self) -> Item | None:
        """The next item, once there is one; None: no more will come."""
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._ended)
        return self.take_now()

    def take_now(self) -> Item | None:
        """The next item; None: there is none now."""
        with self._changed:
            self._changed.notify_all()
            return self._items.popleft() if self._items else None

    @property
    def is_over(self) -> bool:
        """Whether no item is there, and none will come."""
        with self._changed:
            return self._ended and not self._items

    def end(self) -> None:
        """No more items will come."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
            self._watch()

    def leave(self) -> None:
        """Nobody takes an item any more: whoever waits for room goes on."""
        with self._changed:
            self._left = True
            self._items.clear()
            self._changed.notify_all()

    def wait_to_be_left(self, seconds: float) -> bool:
        """Wait so long, or until nobody takes any more. Whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: self._left, seconds)


def _nothing() -> None:
    """What is called where nobody watches."""

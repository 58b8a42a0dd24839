"""A run of a flattened program: by FRONT, or by threads (S-RTS)."""

from __future__ import annotations

import errno
import math
import queue
import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import suppress
from typing import Any

from streambench.pyx.front.border import What
from streambench.pyx.front.front_crew import FrontCrew
from streambench.pyx.front.own_threads import works_for
from streambench.pyx.front.property_graph import Kind
from streambench.pyx.front.thread_crew import ThreadCrew
from streambench.snet import boxes as box_calls
from streambench.snet.boxes import BoxFunction, Concurrency, NativeCalls
from streambench.snet.errors import SnetError
from streambench.snet.front_nodes import Nodes, cell_of
from streambench.snet.front_tables import KIND
from streambench.snet.naive import Interpreter, undeclared
from streambench.snet.part import Part
from streambench.snet.record import from_dict
from streambench.snet.signature import Signature
from streambench.snet.syntax import Feedback, Name, Network, Program, Star
from streambench.snet.trace import Step, Trace
from streambench.snet.types import label_text
from streambench.snet.unfolded import Unfolded

CREDIT = 1024  # records
GRACE = 1.0  # seconds that boxes have to return after Ctrl-C
GIVEN_OUT_AFTER = 0.05  # seconds that a record that has left may wait for others while boxes are busy
_WHAT: Mapping[int, Any] = {
    What.TAKES: "takes",
    What.TAKES_IN: "takes in",
    What.GIVES_OUT: "gives out",
    What.STARTS: "starts",
    What.TAKES_OVER: "takes over",
}
_SILENT = (Kind.NUMBER, Kind.ORDER, Kind.HOME, Kind.LEAVE)  # of them there is nothing to tell
_NO_PARTS = (*_SILENT, Kind.STAGE, Kind.FEEDBACK)  # a record that comes there is in its part already
_Left = queue.SimpleQueue[list[dict[str, Any]] | None]


class Front:
    """A flattened program, ready to be run by FRONT, or with a thread for each entity (``threads``).

    ``network``: of its main net; ``signatures``: of boxes and nets by name; ``functions``: of boxes. Raises SnetError
    for a net without a body.
    """

    def __init__(
        self,
        program: Program,
        network: Network,
        signatures: Mapping[str, Signature],
        functions: Mapping[str, BoxFunction],
        *,
        threads: bool = False,
        concurrency: Concurrency | None = None,
        trace: Trace | None = None,
        unfold: bool = False,
    ) -> None:
        self._threads = threads
        self._nodes = Nodes(program, network, signatures, threads=threads, concurrency=concurrency)
        self._boxes = self._nodes.boxes
        calls = [functions[each.name] for each in self._boxes]
        self._natives = [each.native if isinstance(each, NativeCalls) else None for each in calls]
        self._trace = trace
        self._unfolded = Unfolded(self._nodes) if unfold else None
        self._telling = threading.Lock()  # workers tell of their steps, and may lose the GIL amid it
        self._signatures, self._functions = signatures, functions

    def run(
        self, records: Iterable[dict[str, Any]], workers: int, credit: int = CREDIT
    ) -> Generator[dict[str, Any], None, None]:
        """The records that leave, as they come; ``waiting`` is then the number of cells that hold records.

        ``credit``: FRONT takes none in while so many records are on their way, those in cells not counted; and where so
        many have left and were not asked for, what runs the net waits.

        A run that is left early waits for boxes to return, and not for the source: a thread that waits there ends with
        the next record. Nor does it wait where its last name goes in a thread of its own, in a box for instance. After
        Ctrl-C, here or in a caller that closes the run then, boxes have a second, and what they give then is dropped.

        Raises SnetError for a record that cannot go on, what the source raises, and OSError where a thread cannot be
        started.
        """
        left: _Left = queue.SimpleQueue()
        kind, workers = (ThreadCrew, 1) if self._threads else (FrontCrew, workers)
        crew = kind(
            self._nodes.graph,
            workers,
            self._nodes.tables.labels,
            iter(records),
            left.put,
            self._call,
            self._nodes.initial,
            self._natives,
            self._complain,
            credit,
            None if self._trace is None and self._unfolded is None else self._told,
        )
        problems: list[BaseException] = []

        def work() -> None:
            try:
                crew.run()
            except BaseException as problem:
                problems.append(problem)
            with suppress(MemoryError):  # `_next` sees by itself that the thread has ended
                left.put(None)

        thread = threading.Thread(target=work)
        listener = threading.get_ident()
        patience = math.inf
        try:
            try:
                thread.start()
            except RuntimeError as problem:
                raise OSError(errno.EAGAIN, f"no thread could be started ({problem})") from None
            while (some := _next(left, crew, thread)) is not None:
                got = len(some)
                some.reverse()
                while some:
                    yield some.pop()  # it is not kept here
                    listener = threading.get_ident()
                crew.taken(got)
        except (KeyboardInterrupt, GeneratorExit) as ended:
            if _by_interrupt(ended):
                patience = GRACE
            raise
        finally:
            crew.stop()
            if _waited_for_by(crew, thread, listener):
                patience = 0
            while thread.is_alive() and patience > 0:
                thread.join(GIVEN_OUT_AFTER)
                patience -= GIVEN_OUT_AFTER
                if crew.waits_for_source:  # it may do so for ever
                    break
        if problems:
            raise problems[0]
        if crew.error is not None:
            raise crew.error
        if crew.failure is not None:
            self._explain(*crew.failure)
        self.waiting = crew.waiting
        self.steps = crew.steps
        self.entities = crew.threads if isinstance(crew, ThreadCrew) else None
        self.moving = crew.moving if isinstance(crew, FrontCrew) else None
        self.most_living = crew.most_living if isinstance(crew, FrontCrew) else None

    @property
    def unfolded(self) -> Part | None:
        """The network as the latest run has unfolded it, if that was asked for."""
        return None if self._unfolded is None else self._unfolded.root

    def _told(
        self, worker: int, what: int, node: int, keys: tuple[int, ...], values: dict[str, Any], other: int
    ) -> None:
        """A step of a worker."""
        kind = self._nodes.tables.nodes[node][KIND]
        if self._unfolded is not None and what in (What.TAKES, What.STARTS) and kind not in _NO_PARTS:
            with self._telling:
                self._unfolded.take(node, keys)
        if self._trace is not None and kind not in _SILENT:
            self._trace(Step(worker, _WHAT[what], self._nodes.spots[node].network, keys, values, other))

    def _call(self, box: int, values: dict[str, Any]) -> list[dict[str, Any]]:
        return box_calls.call(self._boxes[box], self._functions[self._boxes[box].name], values)

    def _complain(self, box: int, sentence: str) -> SnetError:
        return SnetError(self._boxes[box].place, f"box {self._boxes[box].name} {sentence}.")

    def _explain(self, node: int, values: dict[str, Any]) -> None:
        """Raise what the naive interpreter has to say of the record that a node could not take."""
        network, kind, record = self._nodes.spots[node].network, self._nodes.tables.nodes[node][KIND], from_dict(values)
        if kind == Kind.LEAVE:
            assert isinstance(network, Name)
            raise undeclared(self._nodes.nets[network.name], record)
        if isinstance(network, Star | Feedback):
            for pattern in network.exits if isinstance(network, Star) else network.back:
                record.matches(pattern)
            if kind == Kind.ZIPPER:
                for pattern in cell_of(network.operand).patterns:  # type: ignore[union-attr]
                    record.matches(pattern)
            raise SnetError(network.place, f"a record with {label_text(values)} never leaves the star.")
        boxes = {each.name: each for each in self._boxes}
        interpreter = Interpreter(network, boxes, self._nodes.nets, self._signatures, self._functions)
        for _ in interpreter.run([record]):
            pass
        raise AssertionError(f"FRONT did not take {values} at {network.place}, which the naive interpreter does")


def _by_interrupt(ended: BaseException | None) -> bool:
    """Whether Ctrl-C ends the run, here or in the caller, which closes the run amid it."""
    while ended is not None and not isinstance(ended, KeyboardInterrupt):
        ended = ended.__context__
    return ended is not None


def _waited_for_by(crew: FrontCrew | ThreadCrew, thread: threading.Thread, listener: int) -> bool:
    """Whether the run may wait for the calling thread, which must not wait for it then.

    One of its own lets go of the last name of it; or one that works for another run, which this one may be part of.
    That one waits only where it is the ``listener``, in a box that has a net of its own.
    """
    if works_for(crew) or threading.get_ident() == thread.ident:
        return True
    return works_for(None) and threading.get_ident() != listener


def _next(left: _Left, crew: FrontCrew | ThreadCrew, thread: threading.Thread) -> list[dict[str, Any]] | None:
    """What has left; None at the end, or when something went wrong and the source goes on giving nothing.

    Workers give out when they have many records, or nothing to do, so not amid a box. The ``thread`` that runs them
    says that it has ended, unless it was refused the memory for that.
    """
    while True:
        try:
            return left.get(timeout=GIVEN_OUT_AFTER)
        except queue.Empty:
            if crew.reading and (crew.error is not None or crew.failure is not None):
                return None
            if not thread.is_alive() and left.empty():
                return None
            crew.give_out_now()

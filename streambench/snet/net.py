"""A program ready to run: parsed, flattened, its types inferred.

>>> net = Net.parse("net sum connect [{<a>, <b>} -> {<c = a + b>}];")
>>> list(net.run([{"<a>": 1, "<b>": 2, "x": "kept"}]))
[{'x': 'kept', '<c>': 3}]
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, get_args

from streambench.errors import OptionError
from streambench.snet import parse, signature
from streambench.snet.boxes import Boxes, Concurrency, functions, is_count
from streambench.snet.demands import TooManyTypesError
from streambench.snet.errors import Place
from streambench.snet.flatten import flatten
from streambench.snet.front import CREDIT, Front
from streambench.snet.infer import infer
from streambench.snet.naive import Interpreter, declared_outputs
from streambench.snet.part import Part, as_written
from streambench.snet.record import Record, from_dict, to_dict
from streambench.snet.signature import Signature
from streambench.snet.syntax import Box, Name, Network, Program
from streambench.snet.syntax import Net as NetSyntax
from streambench.snet.trace import Trace
from streambench.user_code import shown

Runtime = Literal["naive", "front", "threads"]
MOST_WORKERS = 1024
MOST_CREDIT = 2**31 - 1


class DiscardedRecordsWarning(UserWarning):
    """Records were left in synchro-cells that waited for others when the input ended."""


class Net:
    """The main net of a program, which is its last one. ``program``: it, flattened."""

    def __init__(self, program: Program) -> None:
        """Flatten a program as parsed. Raises SnetError for what is not well formed."""
        self.program = flatten(program)
        self.boxes = {each.name: each for each in self.program.definitions if isinstance(each, Box)}
        self.nets = {each.name: each for each in self.program.definitions if isinstance(each, NetSyntax)}
        self.notes: list[tuple[Place, str]] = []
        """What no record can pass, as far as the types tell."""
        self.signatures = self._infer()
        self.discarded: str | None = None
        """A sentence about what the latest run left in synchro-cells, if anything."""
        self._unfolded: Part | None = None

    @classmethod
    def read(cls, path: Path) -> Net:
        """The program in a file. Raises DataError for one that cannot be read, SnetError."""
        return cls(parse.read(path))

    @classmethod
    def parse(cls, text: str, file: str = "<text>") -> Net:
        """The program in a text; ``file`` is what errors call it. Raises SnetError."""
        return cls(parse.parse(text, file))

    @property
    def main(self) -> NetSyntax:
        """The net that is run."""
        last = self.program.definitions[-1]
        assert isinstance(last, NetSyntax)
        return last

    @property
    def network(self) -> Network:
        """What is run: the main net's network, or its name where its signature scopes labels."""
        if self.main.signature is None:
            assert self.main.body is not None
            return self.main.body
        return Name(self.main.name, self.main.place)

    def run(
        self,
        records: Iterable[Mapping[str, Any]],
        boxes: Boxes | None = None,
        trace: Trace | None = None,
        *,
        runtime: Runtime = "naive",
        workers: int = 1,
        concurrency: Concurrency | None = None,
        credit: int = CREDIT,
        unfold: bool = False,
    ) -> Generator[dict[str, Any], None, None]:
        """The records that come out, as dicts by label, of those that go in.

        ``boxes``: a module with a function for each box, or a dict of them (see ``streambench.snet.boxes``).
        ``runtime``: "naive", "front" with so many ``workers``, or "threads", one for each entity. ``concurrency``: how
        many calls of a box FRONT makes at a time. ``credit``: how many records may be on their way in it before it
        takes none in, and how many may have left before it waits for who asks. ``trace`` is called with each step, by
        FRONT in the worker's thread. ``unfold``: FRONT and threads, too, keep the entity graph. Both make a run slow.

        Raises SnetError for a record that cannot go on, DataError for what is no record, OptionError for an option that
        cannot be met. Warns of records that are left in synchro-cells (DiscardedRecordsWarning).
        """
        self._check_options(runtime, workers, concurrency, credit)
        box_functions = functions(self.boxes.values(), boxes)
        if runtime != "naive":
            threads = runtime == "threads"
            front = Front(
                self.program,
                self.network,
                self.signatures,
                box_functions,
                threads=threads,
                concurrency=concurrency,
                trace=trace,
                unfold=unfold,
            )
            self._unfolded = front.unfolded
            # `map`, which keeps no record while it waits for the next one
            with closing(front.run(map(_taken, records), workers, credit)) as outputs:
                yield from map(_given, outputs)
            waiting = front.waiting
        else:
            interpreter = Interpreter(self.network, self.boxes, self.nets, self.signatures, box_functions, trace)
            self._unfolded = interpreter.unfolded
            yield from map(to_dict, interpreter.run(map(from_dict, records)))
            waiting = interpreter.waiting()
        self.discarded = _discarded(waiting)
        if self.discarded:
            warnings.warn(self.discarded, DiscardedRecordsWarning, stacklevel=2)

    def _check_options(self, runtime: Runtime, workers: int, concurrency: Concurrency | None, credit: int) -> None:
        if runtime not in get_args(Runtime):
            raise OptionError(f"`runtime` must be {', '.join(get_args(Runtime))}, not {shown(runtime)}.")
        for name, value, most in (("workers", workers, MOST_WORKERS), ("credit", credit, MOST_CREDIT)):
            if not is_count(value, most):
                raise OptionError(f"`{name}` must be a whole number from 1 to {most}, not {shown(value)}.")
        if not isinstance(concurrency, Concurrency | None):
            raise OptionError(f"`concurrency` must be a Concurrency, not {shown(concurrency)}.")
        for box in () if concurrency is None else concurrency.named:
            if box not in self.boxes:
                raise OptionError(f"`concurrency` names the box {box}, which the program does not have.")

    def property_graph(self) -> Part:
        """The net as it is written."""
        return as_written(self.network, self.nets)

    def entity_graph(self) -> Part:
        """The net as the latest run has unfolded it so far; as it is written, if there was none."""
        return self._unfolded or self.property_graph()

    def _infer(self) -> dict[str, Signature]:
        signatures = {name: signature.of_box(box) for name, box in self.boxes.items()}
        for name, net in self.nets.items():
            signatures[name] = signature.of_net(net, self._body(net, signatures))
        return signatures

    def _body(self, net: NetSyntax, signatures: dict[str, Signature]) -> Signature | None:
        """The signature of a net's body, where it has one that can be inferred or need not be."""
        try:
            return None if net.body is None else infer(net.body, signatures, self._note)
        except TooManyTypesError:
            if not declared_outputs(net):
                raise
            return None

    def _note(self, place: Place, sentence: str) -> None:
        self.notes.append((place, sentence))


def _taken(record: Mapping[str, Any]) -> dict[str, Any]:
    return from_dict(record).values


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return to_dict(Record(values))


def _discarded(cells: int) -> str | None:
    if not cells:
        return None
    wait = "1 synchro-cell waits" if cells == 1 else f"{cells} synchro-cells wait"
    return f"{wait} for records that did not come; what is held there is discarded."

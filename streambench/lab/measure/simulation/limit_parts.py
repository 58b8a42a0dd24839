"""What stops each engine on many simulated cores: the parts of the table of `streambench simulate limits`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from streambench.execution.options import Engine, Options
from streambench.lab.simulate.limits import limits
from streambench.lab.simulate.machine import Machine
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec

COST, UNIT = 0.1, 1024  # microseconds of the operator on a tuple; tuples
LONG = 4  # times as many tuples, where the plan is chosen: that takes some of the stream
CORES = (16, 64, 128)
TUPLES = 2_000_000

Report = Callable[[str, int, int], None]
"""Called with (which row is being simulated, rows that are done, in all)."""


@dataclass(frozen=True)
class LimitPart:
    """Rows of the table: an engine with ``options``, over one ``operator`` (``ps`` is keyed, ``sl`` stateless) and so
    many times the stream."""

    name: str
    operator: str
    options: Options
    times: int = 1
    at_most: int | None = None  # cores

    def cores(self, counts: Sequence[int]) -> list[int]:
        """Those of the ``counts`` that it is simulated on."""
        return [each for each in counts if self.at_most is None or each <= self.at_most]


def _of(engine: Engine, **chosen: Any) -> Options:
    return Options(engine=engine, unit=UNIT, preload=True, **chosen)


PARTS = (
    LimitPart("`ordered`, keyed, `sharded`", "ps", _of("ordered", plan="sharded")),
    LimitPart("`ordered`, keyed, `auto`", "ps", _of("ordered")),
    LimitPart(f"the same, {LONG} times as long", "ps", _of("ordered"), LONG, at_most=64),
    LimitPart("`ordered`, stateless, `cut`", "sl", _of("ordered", plan="cut")),
    LimitPart("`schemes`, keyed (ct, hybrid, non-blocking)", "ps", _of("schemes")),
    LimitPart("lock", "ps", _of("schemes", reorder="lock")),
    LimitPart("ticket", "ps", _of("schemes", reorder="ticket")),
    LimitPart("partitioned", "ps", _of("schemes", partitioning="partitioned")),
    LimitPart("shared", "ps", _of("schemes", partitioning="shared")),
    LimitPart("`schemes`, stateless", "sl", _of("schemes")),
)


def simulate_limits(
    machine: Machine, cores: Sequence[int] = CORES, tuples: int = TUPLES, report: Report | None = None
) -> list[dict[str, Any]]:
    """All of ``PARTS`` on each number of ``cores`` of ``machine``: records with ``part``, ``operator`` and what
    ``Limits.to_dict`` has. Each is fed with profile runs of its own, and all with what cores take to share.

    Raises OptionError for cores that the topology has not, and for a stream that there is not.
    """
    workloads: dict[tuple[str, int], MicroWorkload] = {}
    records: list[dict[str, Any]] = []
    rows = [(part, each) for part in PARTS for each in part.cores(cores)]
    for done, (part, many) in enumerate(rows):
        if report:
            report(f"{part.name.replace('`', '')}, {many} core{'s' * (many > 1)}", done, len(rows))
        key = part.operator, part.times
        if key not in workloads:
            spec = OperatorSpec(part.operator, COST, state_size=1)
            workloads[key] = MicroWorkload(MicroSpec((spec,), tuples * part.times, tuple_size=1))
        for each in limits(workloads[key], part.options, [many], machine):
            records.append({"part": part.name, "operator": part.operator, **each.to_dict()})
    return records

"""What the controller of a run was told and what it decided, so that a controller can be told the same again.

It is all that a controller knows: of operators their kinds, partitions and the columns they emit. Neither the operators
themselves nor their data are needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from streambench.pyx.ordered.controller import Controller
from streambench.pyx.ordered.controller_constants import standard
from streambench.pyx.ordered.recorded_controller import DECIDED, METERED, MOST, TOLD
from streambench.pyx.tuples.operator import PartitionedStateful, Sink, Source, Stateful, Stateless
from streambench.pyx.tuples.unit import MAX_OPERATORS
from streambench.version import __version__

MOST_KEPT: int = MOST  # decisions of a run
MOST_OPERATORS: int = MAX_OPERATORS
KINDS: dict[str, type] = {"sl": Stateless, "ps": PartitionedStateful, "sf": Stateful}


@dataclass(frozen=True, kw_only=True, repr=False)
class Decisions:
    """Of one run; by place of operators, the source is 0.

    ``names`` of operators; ``kinds`` of those between source and sink: ``sl``, ``ps`` or ``sf``; ``widths``: columns
    that each emits; ``how``: what else the controller was made with, see ``Controller``; ``ns_per_tick``; ``begun``,
    ``due``: ticks of the beginning and of the first look. ``rows``: numbers of a decision each, see
    ``RecordedController.recorded``; ``asked``: decisions of the run, of which only the first may be kept. ``version``
    of the package that decided, and the controller's ``constants`` there.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    widths: tuple[int, ...]
    partitions: tuple[int, ...]
    workers: int
    how: Mapping[str, Any]
    ns_per_tick: float
    begun: int
    due: int
    rows: npt.NDArray[np.int64]
    asked: int
    version: str = __version__
    constants: Mapping[str, float] = field(default_factory=standard)

    @classmethod
    def of(cls, operators: Sequence[Any], controller: Any) -> Self:
        """What a ``RecordedController`` of these operators has written down."""
        arguments = controller.made
        ns_per_tick, begun, due = controller.beginning
        return cls(
            names=tuple(each.name for each in operators),
            kinds=tuple(next(k for k, kind in KINDS.items() if isinstance(each, kind)) for each in operators[1:-1]),
            widths=tuple(arguments["widths"]),
            partitions=tuple(arguments["partitions"]),
            workers=arguments["workers"],
            how=arguments["how"],
            ns_per_tick=ns_per_tick,
            begun=begun,
            due=due,
            rows=controller.recorded(),
            asked=controller.asked,
            constants=controller.constants,
        )

    def controller(self, constants: Mapping[str, float] | None = None) -> Any:
        """A new one, made as the run's. ``constants``: changes by name."""
        operators = [Source(), *(KINDS[kind]() for kind in self.kinds), Sink()]  # asked what they are, never called
        for each, width in zip(operators, self.widths, strict=True):
            each.columns = ("value",) * width
        return Controller(
            operators,
            list(self.partitions),
            workers=self.workers,
            ns_per_tick=self.ns_per_tick,
            constants=constants,
            **self.how,
        )

    def changed_constants(self) -> dict[str, tuple[float | None, float | None]]:
        """By name: what the controller's constants were, and what this version's are, where these differ."""
        then, now = self.constants, standard()
        return {name: (then.get(name), now.get(name)) for name in {**then, **now} if then.get(name) != now.get(name)}

    def seconds(self, tick: int) -> float:
        """From the beginning until then."""
        return (tick - self.begun) * self.ns_per_tick * 1e-9

    def __repr__(self) -> str:
        return f"Decisions({len(self.rows)} of {self.asked}, operators={' '.join(self.names)}, workers={self.workers})"


def columns(operators: int) -> list[str]:
    """What the numbers of a row are, in order, where a pipeline has so many operators, source and sink among them."""
    return [*TOLD, *(f"{name} of {place}" for place in range(operators) for name in METERED), *DECIDED]

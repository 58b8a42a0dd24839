"""A linear pipeline of operators, and its execution."""

from __future__ import annotations

from typing import Unpack

from streambench.execution.execute import Watch, execute
from streambench.execution.operator_chain import OperatorChain
from streambench.execution.options import OptionChanges, Options
from streambench.execution.result import Result, fields_of
from streambench.execution.settled import settle
from streambench.host import core_distance


class Pipeline(OperatorChain):
    """Operators in order, from a ``Source`` to a ``Sink`` (Cython classes of ``streambench.pyx.tuples.operator``).

    In the place of the source there may be Arrow data: whatever ``ArrowSource`` takes becomes one. For a function that
    is decorated as an operator a new operator is made. An operator holds state, so a pipeline is executed once; build a
    new one for the next run. Raises OptionError for operators that make no pipeline, DataError for Arrow data that make
    no source.
    """

    def run(
        self,
        options: Options | None = None,
        *,
        profiled: bool = False,
        recorded: bool = False,
        watch: Watch | None = None,
        **changes: Unpack[OptionChanges],
    ) -> Result:
        """Execute the pipeline to the end of its stream.

        ``options``, or any option by its name (``workers=2, unit=256, partitions=64, rate=1e6``), say how: see
        ``Options``. ``profiled``: log what each worker does when, for ``Result.timeline``. ``recorded``: keep what the
        controller of ``ordered`` is told and decides, for ``Result.decisions``. ``watch``: called while it runs.

        Raises OptionError, DataError and OperatorError, each with one sentence, and MemoryError where memory is
        refused.
        """
        chosen = Options.of(options, **changes)
        before = longest_distance(chosen)
        measured = execute(self, chosen, watch, profiled=profiled, recorded=recorded)
        return Result(**fields_of(measured, self, (before, longest_distance(chosen))))


def longest_distance(options: Options) -> float | None:
    """Of the cores, ns there and back; None where a run has one worker."""
    return core_distance.longest() if settle(options).workers > 1 else None

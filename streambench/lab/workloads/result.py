"""What a run gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from streambench.execution.result import Result

SCHEMA = 2


@dataclass(frozen=True, repr=False, kw_only=True)
class RunResult(Result):
    """One run of the laboratory: what was run, on what machine, and whether it is right."""

    query: str
    """The query's name, with the cost that was added to its operators, or an own pipeline's ``module:function``."""
    parameter_set: str
    """``paper`` or ``kit``; empty for an own pipeline."""
    sequence_ok: bool | None
    """Does the output sequence equal the serial engine's and SQL's, and did each lap cause as many tuples as SQL says?
    None: that was not checked."""
    answer_ok: bool | None
    """Does the answer equal SQL's? None: that was not checked."""
    problem: str | None
    """The first difference."""
    machine: dict[str, Any]
    """What ran it, see ``streambench.lab.host.machine``."""
    approximation: dict[str, Any] | None = None
    """Of an approximate query: ``epsilon``, ``counters``, ``n`` (pairs counted), ``error_bound`` (no estimate is off by
    more) and, if it was checked, what ``streambench.lab.answers.estimates.Judgement`` says."""
    answer: pa.Table | None = None
    """The answer, where it was asked for."""
    emitted: pa.Table | None = None
    """The output sequence, where it was asked for."""
    schema: int = SCHEMA
    """Of the JSON form."""

    def __repr__(self) -> str:
        names = ("query", "engine", "tuples", "seconds", "throughput", "digest", "sequence_ok", "answer_ok", "problem")
        return f"RunResult({', '.join(f'{name}={getattr(self, name)!r}' for name in names)}, ...)"

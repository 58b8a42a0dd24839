"""The frame of all that measures: what a bench says of itself, what one call of it has at hand, and its result.

A bench is its options, a frozen dataclass below `Bench`. It says what it measures and how one point is measured;
`measure` opens and closes the journal's records, observes the limit and makes the document. The command line's frame
(`streambench.lab.cli.bench.bench_frame`) adds what a user sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from streambench.host.ready_memory import forget_peak
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.data_description import describe
from streambench.lab.measure.checked_run import interleaved
from streambench.lab.measure.kept_records import KeptRecords
from streambench.lab.measure.time_limit import NO_LIMIT, TimeLimit
from streambench.lab.record import journaled_document
from streambench.lab.record.journal import Journal, Memory, Record, data_state
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.pipeline_function import is_own
from streambench.lab.workloads.workload import Workload

P = TypeVar("P", bound=tuple[Any, ...])

Report = Callable[..., None]
"""Called with what is being done and the fraction of the whole that is done; by a bench that is `timed` with what is
being done, the steps that are done, and the seconds left, None while nobody knows."""


class Bench:
    """What is wanted of a bench.

    ``kind``: of its result. ``counted``: the journal's steps that count as done, and ``unit``, what a user calls one.
    ``timed``: it reports steps and the seconds left. ``resumes``: another call goes on with what is measured.
    ``growing``: fields that say how much is measured, and nothing about any one run; a call that asks for more goes on
    with a journal that was kept.
    """

    kind: ClassVar[str]
    counted: ClassVar[tuple[str, ...]] = ("run",)
    unit: ClassVar[str] = "runs"
    timed: ClassVar[bool] = False
    resumes: ClassVar[bool] = True
    growing: ClassVar[tuple[str, ...]] = ()

    @property
    def total(self) -> int | None:
        """How many steps there are; None: nobody knows before."""
        return None

    def plain(self) -> dict[str, Any]:
        """All of it as plain values: two are the same if and only if these are equal."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def fixed(self) -> dict[str, Any]:
        """What is the same for two that go on with one another's kept journal."""
        return {name: value for name, value in self.plain().items() if name not in self.growing}

    def parameters(self, call: BenchCall, runs: Sequence[Record]) -> dict[str, Any]:
        """What a result says of it."""
        return self.plain()

    def runs(self, call: BenchCall) -> Sequence[Record]:
        """Measure what is not kept yet; return all runs in the bench's order. Raises StreambenchError where the journal
        cannot be written, and DataError for data that does not fit."""
        raise NotImplementedError


@dataclass(frozen=True)
class BenchData:
    """What a bench reads: tables of ``queries`` by their ``parameter_set``, and ``own`` pipelines by name.

    ``of_own``: the data that these are called with; ``oracle``: the SQL that one is checked by.
    """

    catalog: Catalog | None = None
    queries: Sequence[str] = ()
    parameter_set: str = "paper"
    own: Mapping[str, OwnWorkload] = field(default_factory=dict)
    of_own: Path | None = None
    oracle: Path | None = None

    def query(self, name: str) -> Workload:
        """The query of that name, loaded."""
        assert self.catalog is not None, "a query has data"
        return Workload(name, self.catalog, self.parameter_set, preload=True)

    def workload(self, name: str) -> Workload | OwnWorkload:
        """The query, or the own pipeline; one that was not named is made without an oracle."""
        return (self.own.get(name) or OwnWorkload(name)) if is_own(name) else self.query(name)

    def describe(self) -> dict[str, Any]:
        """What a result says of it."""
        return {
            **({} if self.of_own is None else {"data": self.of_own.resolve().name}),
            **({} if self.catalog is None else describe(self.catalog)),
            **({} if self.oracle is None else {"oracle": self.oracle.name}),
        }

    def files(self) -> list[Any]:
        """All data files by name, size and time, whichever queries read them."""
        if self.catalog is None:
            return []
        root = self.catalog.path
        names = (path.relative_to(root) for path in sorted(root.rglob("*.parquet")))
        tables = [(name, (root / name).stat()) for name in names if not name.parts[0].startswith(".")]  # no answers
        return [[str(name), size.st_size, size.st_mtime_ns] for name, size in tables]

    def state(self) -> list[Any]:
        """What must be the same for two calls to go on with one another's runs. Raises DataError for a table that is
        missing."""
        tables = data_state(self.catalog, self.queries, self.parameter_set)
        return [*tables, *(each.state() for each in self.own.values())]


class BenchCall(KeptRecords):
    """One call of a bench: what is kept, whom to tell, the time there is, and the data."""

    def __init__(self, journal: Journal | Memory, report: Report, limit: TimeLimit, data: BenchData) -> None:
        super().__init__(journal)
        self.tell, self.limit, self.data = report, limit, data

    def interleaved(
        self,
        points: Sequence[P],
        repeats: int,
        measure: Callable[[P, int], Record],
        title: Callable[[P], str],
        share: tuple[float, float] = (0.0, 1.0),
        measure_name: str = "",
    ) -> list[Record]:
        """The runs of every point and repeat, side by side, as long as there is time.

        ``title``: of a point, to be told. ``share``: the part of the whole that these are. ``measure_name``: where a
        point is measured in several ways, the one.
        """
        runs: list[Record] = []
        begun, ended = share
        for repeat, place in self.limit.while_there_is_time(interleaved(len(points), repeats)):
            point = points[place]
            fraction = begun + (ended - begun) * len(runs) / (len(points) * repeats)

            def run(point: P = point, repeat: int = repeat, fraction: float = fraction) -> Record:
                self.tell(f"{title(point)}, repeat {repeat + 1} of {repeats}", fraction)
                return measure(point, repeat)

            words = (*([measure_name] if measure_name else []), *point, repeat)
            runs.append(self.run(" ".join(map(str, words)), run))
        return runs


def measure(
    bench: Bench,
    report: Report = lambda *_: None,
    *,
    data: BenchData | None = None,
    journal: Journal | Memory | None = None,
    call: Record | None = None,
    limit: TimeLimit = NO_LIMIT,
) -> dict[str, Any]:
    """Measure what is not kept yet and return a result document (see ``streambench.lab.record.results``).

    ``journal``: what is measured goes there at once, and what is there already is not measured again. ``call``: the
    record with which this call begins; left out, the machine is looked at now. Raises as ``Bench.runs`` does.
    """
    data, journal = data or BenchData(), journal or Memory()
    journal.append(call or journaled_document.begin())
    forget_peak()
    current = BenchCall(journal, report, limit, data)
    runs = bench.runs(current)
    journal.append(limit.record(runs))
    journal.append(journaled_document.end())
    parameters = {**data.describe(), **bench.parameters(current, runs)}
    return journaled_document.document(bench.kind, parameters, runs, journal.records)

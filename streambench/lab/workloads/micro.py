"""Micro-benchmarks: pipelines of the paper's parametric operators (paper 000, end of section 7.1).

>>> from streambench.lab.workloads.micro import MicroSpec, OperatorSpec, run_micro
>>> spec = MicroSpec((OperatorSpec("sl", cost_us=100, selectivity=50), OperatorSpec("ps", cost_us=100)), tuples=1000)
>>> run_micro(spec, workers=2, unit=1).throughput    # doctest: +SKIP
"""

from __future__ import annotations

import math
import operator
import re
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Unpack

import numpy as np

from streambench.errors import OptionError
from streambench.execution.execute import Watch, execute
from streambench.execution.measurement import Measurement
from streambench.execution.options import FIRST_UNIT, OptionChanges, Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.settled import SCHEMES_UNIT, settle
from streambench.host.limits import free_memory
from streambench.lab.host.machine import describe
from streambench.lab.workloads.result import RunResult
from streambench.pyx.tuples.table_sink import TableSink
from streambench.pyx.tuples.table_source import TableSource
from streambench.pyx.tuples.unit import MAX_OPERATORS
from streambench.queries.parametric import keys
from streambench.queries.parametric.calibration import rounds_for
from streambench.queries.parametric.operators import MatrixKeyed, MatrixStateless

KINDS = ("sl", "ps")
KEYS = ("uniform", "normal", "zipf")
USUAL_SIZES = (16,)  # of tuples and states, in numbers: those of a sweep that names none
LARGEST_SIZE = 1 << 20  # values of a payload or a state
LARGEST_COST_US = 1_000_000  # a second: longer, and Ctrl-C would wait for a tuple
MOST_KEYS = 1 << 31
MOST_TUPLES = 1 << 40
LARGEST_SELECTIVITY = 100_000
MOST_DEARER = 1000  # times the cost
LARGEST_SIGMA = 100  # 1 in 125 draws lies in [-1, 1]; and the keys are as good as uniform
MOST_ROWS = 1 << 28  # of a unit: rows are counted in 32 bits, and columns grow by doubling
SAMPLE = 20_000  # tuples at an operator, about, by which ranges of equal weight are chosen
FEWEST_MAKERS = 64  # tuples whose outputs are followed, however many each has
EXACT = 1 << 53  # ids are computed as doubles
GIB = 1 << 30


@dataclass(frozen=True)
class OperatorSpec:
    """A parametric operator.

    ``kind``: ``sl`` (stateless) or ``ps`` (partitioned stateful). ``cost_us``: of the computation on one tuple, in
    microseconds of one thread. ``selectivity``: outputs per tuple, also a fraction. ``state_size``: of each key's
    state, in 64-bit values; of a partitioned stateful operator.
    """

    kind: str
    cost_us: float
    selectivity: float = 1.0
    state_size: int = 16

    @classmethod
    def parse(cls, text: str, usual: OperatorSpec) -> OperatorSpec:
        """``ps``, ``ps:100`` with its cost, or ``sl:100:50`` with its selectivity, too; what is left out is the
        ``usual``. Raises OptionError for anything else."""
        match = re.fullmatch(rf"({'|'.join(KINDS)})(?::([0-9.]+))?(?::([0-9.]+))?", text)
        try:
            given = [None if each is None else float(each) for each in match.groups()[1:]] if match else []
        except ValueError:
            given = []
        if match is None or not given:
            raise OptionError(
                f"`micro` takes {' or '.join(KINDS)} joined by hyphens, such as sl-ps, each with its cost and "
                f"selectivity if these are its own, such as sl:10:50-ps:100, not {text!r}."
            )
        cost, selectivity = given
        return cls(
            match[1],
            usual.cost_us if cost is None else cost,
            usual.selectivity if selectivity is None else selectivity,
            usual.state_size,
        )

    @property
    def text(self) -> str:
        """As it is parsed, with all its numbers."""
        numbers = (np.format_float_positional(each, trim="-") for each in (self.cost_us, self.selectivity))
        return ":".join((self.kind, *numbers))


@dataclass(frozen=True)
class MicroSpec:
    """Parametric operators in a row, and the stream they are given. Raises OptionError for what cannot be met.

    ``tuples``: of the stream; ``tuple_size``: 64-bit values of a payload; ``keys``: ``uniform``, ``normal`` with
    ``sigma``, or ``zipf`` with ``exponent``, from 0 to ``key_space`` - 1, drawn with ``seed``.

    A stream may change, after the part ``change_at`` of its tuples: the part ``hot`` of those that follow have one and
    the same key, and each costs ``dearer`` times as much. Such a stream has one lap.
    """

    operators: tuple[OperatorSpec, ...]
    tuples: int
    tuple_size: int = 16
    keys: str = "uniform"
    sigma: float = 1.0
    exponent: float = 1.0
    key_space: int = 10_000
    seed: int = 1
    hot: float = 0.0
    dearer: float = 1.0
    change_at: float = 0.5

    def __post_init__(self) -> None:
        most = MAX_OPERATORS - 2  # source and sink
        if not 1 <= len(self.operators) <= most:
            raise OptionError(f"a micro-benchmark has 1 to {most} operators, not {len(self.operators)}.")
        for place, each in enumerate(self.operators, start=1):
            if each.kind not in KINDS:
                raise OptionError(f"operator {place} must be one of {', '.join(KINDS)}, not {each.kind!r}.")
            _number(f"`cost` of operator {place}, in microseconds,", each.cost_us, 0, LARGEST_COST_US)
            _number(f"`selectivity` of operator {place}", each.selectivity, 0, LARGEST_SELECTIVITY)
            _whole(f"`state_size` of operator {place}", each.state_size, 1, LARGEST_SIZE)
        _whole("`tuples`", self.tuples, 1, MOST_TUPLES)
        _whole("`tuple_size`", self.tuple_size, 1, LARGEST_SIZE)
        if self.keys not in KEYS:
            raise OptionError(f"`keys` must be one of {', '.join(KEYS)}, not {self.keys!r}.")
        _number("`sigma`", self.sigma, 0, LARGEST_SIGMA, above=True)
        _number("`exponent`", self.exponent, 0, 100)
        _whole("`key_space`", self.key_space, 1, MOST_KEYS)
        _whole("`seed`", self.seed, 0, (1 << 63) - 1)
        _number("`hot`", self.hot, 0, 1)
        _number("`dearer`", self.dearer, 0, MOST_DEARER)
        _number("`change_at`", self.change_at, 0, 1)

    @property
    def name(self) -> str:
        """The operators' kinds: ``sl``, ``ps``, ``sl-ps``, ..."""
        return "-".join(each.kind for each in self.operators)

    @property
    def changes(self) -> bool:
        """Whether the stream changes on its way."""
        return self.hot > 0 or self.dearer != 1

    @property
    def unchanged(self) -> int:
        """The tuples before the change."""
        return int(self.change_at * self.tuples) if self.changes else self.tuples

    @property
    def change(self) -> str:
        """In words: ``after 40% 30% have one key and tuples cost 10 times as much``; empty where nothing changes."""
        what = [f"{self.hot:.0%} have one key"] if self.hot > 0 else []
        what += [f"tuples cost {self.dearer:g} times as much"] if self.dearer != 1 else []
        return f"after {self.change_at:.0%} {' and '.join(what)}" if what else ""

    @property
    def distribution(self) -> str:
        """The keys' distribution in words: ``normal keys, sigma 0.25``; and how the stream changes, if it does."""
        shape = {"normal": f", sigma {self.sigma:g}", "zipf": f", exponent {self.exponent:g}"}
        return f"{self.keys} keys{shape.get(self.keys, '')}{', ' if self.changes else ''}{self.change}"

    @property
    def title(self) -> str:
        """What tells it from others: its parameters, but for those that are as they mostly are."""
        first = self.operators[0]
        words = [self.name, f"{first.cost_us:g} µs"]
        words += [f"selectivity {first.selectivity:g}"] if first.selectivity != 1 else []
        if any((each.cost_us, each.selectivity) != (first.cost_us, 1) for each in self.operators[1:]):
            words = [f"{each.kind} {each.cost_us:g} µs to {each.selectivity:g}" for each in self.operators]
        words += [f"tuple size {self.tuple_size}"] if self.tuple_size not in USUAL_SIZES else []
        words += [f"state size {first.state_size}"] if first.state_size not in USUAL_SIZES else []
        shape = {"normal": f" {self.sigma:g}", "zipf": f" {self.exponent:g}"}.get(self.keys, "")
        return ", ".join([*words, self.keys + shape, *([self.change] if self.changes else [])])

    def to_dict(self) -> dict[str, Any]:
        """The specification as plain values; those of a change only where there is one."""
        left_out = () if self.changes else ("hot", "dearer", "change_at")
        plain = {name: value for name, value in asdict(self).items() if name not in left_out}
        return {**plain, "operators": [asdict(each) for each in self.operators]}


class MicroWorkload:
    """A micro-benchmark, ready to be run many times: its stream is in memory, its costs are calibrated.

    There is no SQL to check it by: what it is checked against is the serial engine. Raises OptionError for what does
    not fit into memory.
    """

    def __init__(self, spec: MicroSpec) -> None:
        self.spec = spec
        self._digests: dict[int, str] = {}
        drawing = 24 * spec.tuples + (16 * spec.key_space if spec.keys == "zipf" else 0)
        _require_memory(self._held_bytes + drawing, "give it fewer tuples, a smaller key space or smaller states")
        self.ids = np.arange(spec.tuples, dtype=np.int64)
        self.keys = _draw(spec)

    @property
    def name(self) -> str:
        """The operators' kinds."""
        return self.spec.name

    @property
    def rows(self) -> int:
        """Tuples of one lap."""
        return self.spec.tuples

    @cached_property
    def rounds(self) -> tuple[int, ...]:
        """Rounds of each operator's computation that make its cost here; the digest depends on them."""
        size = self.spec.tuple_size
        return tuple(
            rounds_for(each.cost_us, size, each.state_size if each.kind == "ps" else 0) for each in self.spec.operators
        )

    @property
    def later(self) -> tuple[tuple[int, int] | None, ...]:
        """Of each operator the id from which on its computation has other rounds, and these; None where none has."""
        if self.spec.dearer == 1:
            return (None,) * len(self.rounds)
        grown = accumulate((each.selectivity for each in self.spec.operators), operator.mul, initial=1.0)
        rounds = (round(self.spec.dearer * each) for each in self.rounds)
        return tuple((math.ceil(self.spec.unchanged * by), each) for by, each in zip(grown, rounds, strict=False))

    def describe(self) -> dict[str, Any]:
        """The specification as plain values."""
        return self.spec.to_dict()

    def pipeline(self, options: Options, *, keep: bool) -> Pipeline:
        """A new pipeline; ``keep``: the sink holds its rows."""
        self._require_room(options)
        if self.spec.changes and options.laps > 1:
            raise OptionError("a stream that changes on its way is not replayed: leave `laps` out, or the change.")
        source = TableSource([self.keys, self.ids], ("key", "id"), (0, self.spec.tuples), options.laps)
        built: list[Any] = []
        planned = zip(self.spec.operators, self.rounds, self.later, strict=True)
        for place, (each, rounds, later) in enumerate(planned, start=1):
            common = {
                "tuple_size": self.spec.tuple_size,
                "rounds": rounds,
                "later": later,
                "selectivity": each.selectivity,
                "key_space": self.spec.key_space,
                "emits_payload": place < len(self.spec.operators),
            }
            keyed = each.kind == "ps"
            built.append(MatrixKeyed(state_size=each.state_size, **common) if keyed else MatrixStateless(**common))
        pipeline = Pipeline([source, *built, TableSink(keep)])
        if options.partition_by == "quantile":
            pipeline.key_samples = self.key_samples
        return pipeline

    @cached_property
    def key_samples(self) -> dict[int, keys.Keys]:
        """By an operator's place, keys that reach it: of tuples drawn at random, and of what becomes of them."""
        random = np.random.default_rng(self.spec.seed)
        reaching = [*accumulate((each.selectivity for each in self.spec.operators[:-1]), operator.mul, initial=1.0)]
        most = SAMPLE / min(reaching)  # of tuples few of which reach an operator it takes more
        some, ids, samples = self.keys, self.ids, {}
        for place, each in enumerate(self.spec.operators, start=1):
            some, ids = keys.drawn(some, ids, most, random)
            samples[place] = some
            makers = keys.drawn(some, ids, max(FEWEST_MAKERS, most / max(1.0, each.selectivity)), random)
            some, ids = keys.emitted(*makers, each.selectivity, self.spec.key_space)
        return samples

    def run(
        self, options: Options, watch: Watch | None = None, *, keep: bool, profiled: bool = False
    ) -> tuple[Measurement, Pipeline]:
        """Execute the pipeline once."""
        pipeline = self.pipeline(options, keep=keep)
        return execute(pipeline, options, watch, profiled=profiled), pipeline

    def serial_digest(self, laps: int) -> str:
        """The digest of the serial engine's output sequence, computed once per number of laps."""
        if laps not in self._digests:
            unit = max(1, int(SCHEMES_UNIT / self._growth))  # what its tuples become should stay in the cache
            _, pipeline = self.run(Options(engine="serial", unit=unit, laps=laps, preload=True), keep=False)
            self._digests[laps] = pipeline.sink.digest
        return self._digests[laps]

    def lap_problem(self, laps: int, measured: Measurement) -> str | None:
        """None: no other program knows what a lap must cause."""
        return None

    @property
    def _held_bytes(self) -> int:
        """Memory for the stream and the operators' states."""
        states = sum(8 * (each.state_size + 8) for each in self.spec.operators if each.kind == "ps")
        return 16 * self.spec.tuples + states * self.spec.key_space

    @property
    def _growth(self) -> float:
        """The most tuples that one tuple of the stream becomes on its way, at least 1."""
        selectivities = (each.selectivity for each in self.spec.operators)
        return max(accumulate(selectivities, operator.mul, initial=1.0))

    def _require_room(self, options: Options) -> None:
        """Raise OptionError where units grow so much with the selectivities that they cannot be held."""
        largest = self._growth
        if largest * self.spec.tuples * options.laps >= EXACT:
            raise OptionError(f"{self.name} has too many tuples: choose fewer, or smaller selectivities.")
        settled = settle(options)
        tuples = settled.unit or FIRST_UNIT  # what is chosen later fits into a cache
        if largest * tuples > MOST_ROWS:
            raise OptionError(
                f"a unit of {tuples} tuples grows to {largest * tuples:.3g} in {self.name}: "
                "choose a smaller unit, or smaller selectivities."
            )
        # A unit has two sets of columns and those of its groups; 5 further values go with a payload.
        unit = 3 * largest * tuples * 8 * (self.spec.tuple_size + 5)
        units = settled.credit or 1
        _require_memory(
            self._held_bytes - 16 * self.spec.tuples + int(unit * units),
            "choose a smaller unit, less credit, or a smaller selectivity or tuple size",
        )


def run_micro(
    spec: MicroSpec | MicroWorkload,
    options: Options | None = None,
    *,
    check: bool = True,
    profiled: bool = False,
    recorded: bool = False,
    watch: Watch | None = None,
    **changes: Unpack[OptionChanges],
) -> RunResult:
    """Run a micro-benchmark and return a ``RunResult``.

    ``options``, or any option by its name, say how to execute, as in ``Pipeline.run``; ``preload`` is always on.
    ``check``: compare the output sequence with the serial engine's; ``answer_ok`` stays None, as there is no SQL for
    it. ``parameter_set`` tells the keys' distribution. Raises OptionError.
    """
    workload = spec if isinstance(spec, MicroWorkload) else MicroWorkload(spec)
    changes["preload"] = True
    chosen = Options.of(options, **changes)
    pipeline = workload.pipeline(chosen, keep=False)
    measured = pipeline.run(chosen, profiled=profiled, recorded=recorded, watch=watch)
    right = problem = None
    if check:
        expected = workload.serial_digest(chosen.laps)
        right = measured.digest == expected
        if not right:
            problem = f"{workload.name}'s output sequence has digest {measured.digest} instead of {expected}."
    return RunResult(
        query=workload.name,
        parameter_set=workload.spec.distribution,
        sequence_ok=right,
        answer_ok=None,
        problem=problem,
        machine=describe(),
        **vars(measured),
    )


def _draw(spec: MicroSpec) -> keys.Keys:
    drawn = _spread(spec)
    if spec.hot > 0:
        keys.heat(drawn[spec.unchanged :], spec.key_space // 2, spec.seed, spec.hot)
    return drawn


def _spread(spec: MicroSpec) -> keys.Keys:
    if spec.keys == "normal":
        return keys.normal(spec.tuples, spec.key_space, spec.seed, spec.sigma)
    if spec.keys == "zipf":
        return keys.zipf(spec.tuples, spec.key_space, spec.seed, spec.exponent)
    return keys.uniform(spec.tuples, spec.key_space, spec.seed)


def _require_memory(needed: int, remedy: str) -> None:
    """Raise OptionError where so many bytes are not free: a run that finds no memory would end the process."""
    room = free_memory()
    if needed > room:
        raise OptionError(
            f"the micro-benchmark needs about {needed / GIB:.1f} GiB of memory, and {room / GIB:.1f} GiB are free: "
            f"{remedy}."
        )


def _number(what: str, value: float, low: int, high: int, *, above: bool = False) -> None:
    fits = isinstance(value, int | float) and math.isfinite(value) and low <= value <= high
    if not fits or isinstance(value, bool) or (above and value == low):
        span = f"above {low} and at most {high:,}" if above else f"from {low} to {high:,}"
        raise OptionError(f"{what} must be a number {span}, not {value!r}.")


def _whole(what: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise OptionError(f"{what} must be a whole number from {low} to {high:,}, not {value!r}.")

"""The axes of a sweep and their product: which configurations are measured over which workloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any

from streambench.errors import OptionError
from streambench.micro import KINDS, MicroSpec, OperatorSpec
from streambench.options import ENGINES, SCHEMES_UNIT, Options
from streambench.queries import query as queries

CHOICES = ("schedulers", "reorders", "partitionings", "partition_by", "keys")
QUERY_UNIT = SCHEMES_UNIT
MICRO_UNIT = 1  # parametric operators are heavy and their streams short: a large unit would hold all of it


@dataclass(frozen=True)
class Group:
    """What is measured side by side: one workload and its configurations, first the serial engine.

    ``workload``: a query's name, or the parameters of a parametric pipeline (its ``tuples`` are chosen when it is
    measured).
    """

    workload: str | MicroSpec
    configurations: tuple[Options, ...]

    @property
    def name(self) -> str:
        """The workload in a few words."""
        return self.workload if isinstance(self.workload, str) else micro_title(self.workload)


@dataclass(frozen=True)
class Product:
    """The values of every axis. Raises OptionError for a value that cannot be.

    ``queries``, ``micro``: the workloads (``sl``, ``ps``, ``sl-ps`` ...: the kinds of a pipeline's operators).
    ``costs``: microseconds of every parametric operator. ``selectivities``: of the first one, the others have 1.
    ``sigmas`` belong to keys ``normal``, ``exponents`` to ``zipf``. ``units``: empty for 1024 with queries, 1 with
    parametric pipelines. ``engines``: with ``serial`` among them it runs with every unit size, else once, as the
    baseline, in units of each of ``serial_units`` (empty: 1024 with queries, 1 with parametric pipelines).
    ``fewest_partitions``: where their number is chosen, no fewer. All others as in ``Options``, where None means its
    choice.
    """

    queries: tuple[str, ...] = ()
    micro: tuple[str, ...] = ()
    engines: tuple[str, ...] = ("ordered",)
    serial_units: tuple[int, ...] = ()
    workers: tuple[int | None, ...] = (None,)
    schedulers: tuple[str, ...] = ("ct",)
    reorders: tuple[str, ...] = ("nonblocking",)
    partitionings: tuple[str, ...] = ("hybrid",)
    partition_by: tuple[str, ...] = (Options.partition_by,)
    units: tuple[int, ...] = ()
    partitions: tuple[int | None, ...] = (None,)
    fewest_partitions: int = 1
    segments: tuple[bool, ...] = (Options.segments,)
    time_slices: tuple[float, ...] = (Options.time_slice,)
    windows: tuple[float, ...] = (Options.window,)
    capacities: tuple[int | None, ...] = (None,)
    keys: tuple[str, ...] = ("uniform",)
    sigmas: tuple[float, ...] = (1.0,)
    exponents: tuple[float, ...] = (1.0,)
    costs: tuple[float, ...] = (10.0,)
    selectivities: tuple[float, ...] = (1.0,)
    state_sizes: tuple[int, ...] = (16,)
    tuple_sizes: tuple[int, ...] = (16,)

    def __post_init__(self) -> None:
        for each in fields(self):
            if each.name not in ("queries", "micro", "units", "serial_units") and not getattr(self, each.name):
                raise OptionError(f"{each.name.replace('_', '-')} is empty: name at least one value.")
        object.__setattr__(self, "queries", tuple(name.lower() for name in self.queries))
        for name in self.queries:
            if name not in queries.names():
                raise OptionError(f"there is no query {name!r}: choose from {', '.join(queries.names())}.")
        for kinds in self.micro:
            if not all(kind in KINDS for kind in kinds.split("-")):
                raise OptionError(
                    f"--micro takes {' or '.join(KINDS)} joined by hyphens, such as sl-ps, not {kinds!r}."
                )
        for engine in self.engines:
            if engine not in ENGINES:
                raise OptionError(f"--engines takes {' or '.join(ENGINES)}, or both with a comma, not {engine!r}.")

    def changed(self, axes: dict[str, tuple[Any, ...]]) -> Product | None:
        """This product with other axes: numbers take the place of its own; of workloads and choices is kept what both
        have. None if that leaves nothing."""
        found: dict[str, Any] = dict(axes)
        for name in CHOICES:
            if name in axes:
                found[name] = tuple(each for each in getattr(self, name) if each in axes[name])
        if "queries" in axes or "micro" in axes:
            for name in ("queries", "micro"):
                wanted = {each.lower() for each in axes.get(name, ())}
                found[name] = tuple(each for each in getattr(self, name) if each in wanted)
            if not found["queries"] and not found["micro"]:
                return None
        return None if not all(found[name] for name in CHOICES if name in found) else replace(self, **found)

    def groups(self) -> Iterator[Group]:
        """The groups: one for each workload."""
        workloads: list[str | MicroSpec] = [*self.queries, *self._specs()]
        for workload in dict.fromkeys(workloads):
            yield Group(workload, tuple(dict.fromkeys(self._configurations(isinstance(workload, str)))))

    def _specs(self) -> Iterator[MicroSpec]:
        axes = (self.tuple_sizes, self.state_sizes, self.costs, self.selectivities)
        for kinds, (keys, sigma, exponent), (width, state, cost, selectivity) in product(
            self.micro, self._distributions(), product(*axes)
        ):
            operators = tuple(
                OperatorSpec(kind, cost, selectivity if place == 0 else 1.0, state)
                for place, kind in enumerate(kinds.split("-"))
            )
            yield MicroSpec(operators, 1, tuple_size=width, keys=keys, sigma=sigma, exponent=exponent)

    def _distributions(self) -> Iterator[tuple[Any, float, float]]:
        for keys in self.keys:
            if keys == "normal":
                yield from ((keys, sigma, 1.0) for sigma in self.sigmas)
            elif keys == "zipf":
                yield from ((keys, 1.0, exponent) for exponent in self.exponents)
            else:
                yield keys, 1.0, 1.0

    def _configurations(self, over_data: bool) -> Iterator[Options]:
        usual = (QUERY_UNIT if over_data else MICRO_UNIT,)
        units = self.units or usual
        baseline = units if "serial" in self.engines else self.serial_units or usual
        yield from (Options(engine="serial", unit=unit, preload=True) for unit in baseline)
        if "ordered" not in self.engines:
            return
        axes: dict[str, tuple[Any, ...]] = {
            "workers": self.workers,
            "scheduler": self.schedulers,
            "reorder": self.reorders,
            "partitioning": self.partitionings,
            "partition_by": self.partition_by,
            "unit": units,
            "partitions": self.partitions,
            "segments": self.segments,
            "time_slice": self.time_slices,
            "window": self.windows,
            "capacity": self.capacities,
        }
        for values in product(*axes.values()):
            chosen = dict(zip(axes, values, strict=True))
            made = settled(Options(preload=True, **chosen))
            fewest = self.fewest_partitions if chosen["partitions"] is None else 1
            yield replace(made, partitions=max(fewest, made.resolved_partitions()))


def settled(options: Options) -> Options:
    """The same configuration with what it chooses itself written out, so that equal ones are equal.

    A capacity means something to the heuristic QST only.
    """
    qst = options.scheduler == "qst"
    return replace(
        options,
        workers=options.resolved_workers(),
        partitions=options.resolved_partitions(),
        credit=options.resolved_credit(),
        capacity=options.resolved_capacity() if qst else None,
    )


def merged(groups: Iterable[Group]) -> tuple[Group, ...]:
    """One group for each workload, with every configuration once: queries first, in each the serial engine first."""
    found: dict[str | MicroSpec, dict[Options, None]] = {}
    for group in groups:
        found.setdefault(group.workload, {}).update(dict.fromkeys(group.configurations))
    ordered = sorted(found, key=lambda workload: not isinstance(workload, str))
    return tuple(
        Group(workload, tuple(sorted(found[workload], key=lambda each: each.engine != "serial")))
        for workload in ordered
    )


def tuple_cost(spec: MicroSpec) -> float:
    """Seconds of work that one tuple of the stream causes: the cost of each operator times what reaches it."""
    reaching, seconds = 1.0, 0.0
    for operator in spec.operators:
        seconds += reaching * operator.cost_us * 1e-6
        reaching *= operator.selectivity
    return seconds


def micro_title(spec: MicroSpec) -> str:
    """What tells a parametric pipeline from others: its parameters, but for those that are as they mostly are."""
    usual = Product()
    first = spec.operators[0]
    words = [spec.name, f"{first.cost_us:g} µs"]
    words += [f"selectivity {first.selectivity:g}"] if first.selectivity != 1 else []
    words += [f"tuple size {spec.tuple_size}"] if spec.tuple_size not in usual.tuple_sizes else []
    words += [f"state size {first.state_size}"] if first.state_size not in usual.state_sizes else []
    shape = {"normal": f" {spec.sigma:g}", "zipf": f" {spec.exponent:g}"}.get(spec.keys, "")
    return ", ".join([*words, spec.keys + shape])


def listed(values: Sequence[object]) -> str:
    """Values as an option takes them."""
    return ",".join(f"{each:g}" if isinstance(each, float) else str(each) for each in values)

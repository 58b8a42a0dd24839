"""The axes of a sweep and their product: which configurations are measured over which workloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product, repeat
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import ENGINES, Options, Partitioner, Routing
from streambench.execution.settled import SCHEMES_UNIT, settle
from streambench.host.placement import Place
from streambench.lab.workloads.micro import USUAL_SIZES, MicroSpec, OperatorSpec
from streambench.lab.workloads.operator_cost import OperatorCost
from streambench.lab.workloads.pipeline_function import is_own
from streambench.queries import query as queries

CHOICES = ("heuristics", "reorders", "partitionings", "routings", "partition_by", "keys")
QUERY_UNIT = SCHEMES_UNIT
MICRO_UNIT = 1  # parametric operators are heavy and their streams short: a large unit would hold all of it


@dataclass(frozen=True)
class Comparison:
    """What is measured side by side: one workload and its configurations, first the serial engine.

    ``workload``: a query's name, an own pipeline's ``module:function``, or the parameters of a parametric pipeline (its
    ``tuples`` are chosen when it is measured).
    """

    workload: str | MicroSpec
    configurations: tuple[Options, ...]

    @property
    def name(self) -> str:
        """The workload in a few words."""
        return self.workload if isinstance(self.workload, str) else self.workload.title


@dataclass(frozen=True)
class Product:
    """The values of every axis. Raises OptionError for a value that cannot be.

    ``queries``, ``micro``: the workloads (queries and own pipelines, ``module:function``; ``sl``, ``ps``,
    ``sl-ps`` ...: the kinds of a parametric pipeline's operators, each with its own cost and selectivity if it is
    ``sl:10:50``).
    ``operator_costs``: of the queries, as ``OperatorCost`` parses them. ``costs``: microseconds of every parametric
    operator. ``selectivities``: of the first one, the others have 1.
    ``sigmas`` belong to keys ``normal``, ``exponents`` to ``zipf``. ``units``: empty for 1024 with queries, 1 with
    parametric pipelines, ``ordered`` chooses its own. ``engines``: with ``serial`` among them it runs with every unit
    size, else once, as the baseline, in units of each of ``serial_units`` (empty: 1024 with queries, 1 with
    parametric pipelines). ``fewest_partitions``: of ``schemes``, where their number is chosen, no fewer. All others as
    in ``Options``, where None means its choice.
    """

    queries: tuple[str, ...] = ()
    micro: tuple[str, ...] = ()
    operator_costs: tuple[str, ...] = ("0",)
    engines: tuple[str, ...] = ("schemes",)
    serial_units: tuple[int, ...] = ()
    workers: tuple[int | None, ...] = (None,)
    heuristics: tuple[str, ...] = ("ct",)
    reorders: tuple[str, ...] = ("nonblocking",)
    partitionings: tuple[str, ...] = ("hybrid",)
    routings: tuple[Routing, ...] = ("early",)
    partition_by: tuple[Partitioner, ...] = (Options.partition_by,)
    units: tuple[int, ...] = ()
    partitions: tuple[int | None, ...] = (None,)
    fewest_partitions: int = 1
    fuse: tuple[bool, ...] = (Options.fuse,)
    time_slices: tuple[float, ...] = (Options.time_slice,)
    windows: tuple[float, ...] = (Options.window,)
    capacities: tuple[int | None, ...] = (None,)
    credits: tuple[int | None, ...] = (None,)
    places: tuple[Place, ...] = (Options.place,)
    rates: tuple[float, ...] = (Options.rate,)
    keys: tuple[str, ...] = ("uniform",)
    sigmas: tuple[float, ...] = (1.0,)
    exponents: tuple[float, ...] = (1.0,)
    costs: tuple[float, ...] = (10.0,)
    selectivities: tuple[float, ...] = (1.0,)
    state_sizes: tuple[int, ...] = USUAL_SIZES
    tuple_sizes: tuple[int, ...] = USUAL_SIZES

    def __post_init__(self) -> None:
        for each in fields(self):
            if each.name not in ("queries", "micro", "units", "serial_units") and not getattr(self, each.name):
                raise OptionError(f"`{each.name}` is empty: name at least one value.")
        object.__setattr__(self, "queries", tuple(name if is_own(name) else name.lower() for name in self.queries))
        for name in self.queries:
            if not is_own(name) and name not in queries.names():
                raise OptionError(f"there is no query {name!r}: choose from {', '.join(queries.names())}.")
        if any(map(OperatorCost.parse, self.operator_costs)) and any(map(is_own, self.queries)):
            raise OptionError("`operator-costs` are of queries: leave them out, or your own pipelines.")
        if any(self.rates) and self.micro:
            raise OptionError("`rates` are of queries and own pipelines: leave them out, or --micro.")
        if "quantile" in self.partition_by and self.queries:
            raise OptionError("`partition-by` quantile is of parametric pipelines: leave it out, or --queries.")
        for chain in self.micro:
            operators_of(chain, OperatorSpec("sl", 0.0))
        for engine in self.engines:
            if engine not in ENGINES:
                raise OptionError(f"`engines` takes some of {listed(ENGINES)}, with commas, not {engine!r}.")

    def changed(self, axes: dict[str, tuple[Any, ...]]) -> Product | None:
        """This product with other axes: numbers take the place of its own; of workloads and choices is kept what both
        have. None if that leaves nothing."""
        values: dict[str, Any] = dict(axes)
        for name in CHOICES:
            if name in axes:
                values[name] = tuple(each for each in getattr(self, name) if each in axes[name])
        if "queries" in axes or "micro" in axes:
            for name in ("queries", "micro"):
                names = {each.lower() for each in axes.get(name, ())}
                values[name] = tuple(each for each in getattr(self, name) if each in names)
            if not values["queries"] and not values["micro"]:
                return None
        return None if not all(values[name] for name in CHOICES if name in values) else replace(self, **values)

    def comparisons(self) -> Iterator[Comparison]:
        """One for each workload."""
        costs = [OperatorCost.parse(each) for each in self.operator_costs]
        named = [name if is_own(name) else cost.workload(name) for name in self.queries for cost in costs]
        workloads: list[str | MicroSpec] = [*named, *self._specs()]
        for workload in dict.fromkeys(workloads):
            yield Comparison(workload, tuple(dict.fromkeys(self._configurations(isinstance(workload, str)))))

    def _specs(self) -> Iterator[MicroSpec]:
        axes = (self.tuple_sizes, self.state_sizes, self.costs, self.selectivities)
        for chain, (keys, sigma, exponent), (width, state, cost, selectivity) in product(
            self.micro, self._distributions(), product(*axes)
        ):
            operators = operators_of(chain, OperatorSpec("sl", cost, selectivity, state))
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
        if "ordered" in self.engines:
            yield from self._ordered()
        if "schemes" in self.engines:
            yield from self._schemes(units)

    def _ordered(self) -> Iterator[Options]:
        """Unit and plan are chosen while it runs, if no unit is given; none of the paper's schemes means anything."""
        axes = (
            self.workers,
            self.partition_by,
            self.units or (None,),
            self.partitions,
            self.credits,
            self.places,
            self.rates,
        )
        for workers, by, unit, partitions, credit, place, rate in product(*axes):
            options = Options(
                engine="ordered",
                workers=workers,
                partition_by=by,
                unit=unit,
                partitions=partitions,
                credit=credit,
                place=place,
                rate=rate,
                preload=True,
            )
            settled = settle(options)
            yield replace(options, workers=settled.workers, partitions=settled.partitions)

    def _schemes(self, units: tuple[int, ...]) -> Iterator[Options]:
        axes: dict[str, tuple[Any, ...]] = {
            "workers": self.workers,
            "heuristic": self.heuristics,
            "reorder": self.reorders,
            "partitioning": self.partitionings,
            "routing": self.routings,
            "partition_by": self.partition_by,
            "unit": units,
            "partitions": self.partitions,
            "fuse": self.fuse,
            "time_slice": self.time_slices,
            "window": self.windows,
            "capacity": self.capacities,
            "credit": self.credits,
            "place": self.places,
            "rate": self.rates,
        }
        for values in product(*axes.values()):
            chosen = dict(zip(axes, values, strict=True))
            # With what it chooses itself written out, so that equal configurations are equal.
            settled = settle(Options(engine="schemes", preload=True, **chosen))
            fewest = self.fewest_partitions if chosen["partitions"] is None else 1
            yield Options(**{**settled.to_dict(), "partitions": max(fewest, settled.partitions)})


def operators_of(chain: str, first: OperatorSpec) -> tuple[OperatorSpec, ...]:
    """The operators of ``sl-ps``; the first one is as ``first``, if it says nothing else, and others select all."""
    usual = (first, *repeat(replace(first, selectivity=1.0), chain.count("-")))
    return tuple(map(OperatorSpec.parse, chain.split("-"), usual))


def merged(comparisons: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """One for each workload, with every configuration once: queries first, in each the serial engine first."""
    configurations: dict[str | MicroSpec, dict[Options, None]] = {}
    for each in comparisons:
        configurations.setdefault(each.workload, {}).update(dict.fromkeys(each.configurations))
    ordered = sorted(configurations, key=lambda workload: not isinstance(workload, str))
    return tuple(
        Comparison(workload, tuple(sorted(configurations[workload], key=lambda each: each.engine != "serial")))
        for workload in ordered
    )


def tuple_cost(spec: MicroSpec) -> float:
    """Seconds of work that one tuple of the stream causes: the cost of each operator times what reaches it."""
    reaching, seconds = 1.0, 0.0
    for operator in spec.operators:
        seconds += reaching * operator.cost_us * 1e-6
        reaching *= operator.selectivity
    return seconds


def listed(values: Sequence[object]) -> str:
    """Values as an option takes them."""
    return ",".join(f"{each:g}" if isinstance(each, float) else str(each) for each in values)

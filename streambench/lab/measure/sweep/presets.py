"""The sweeps behind the paper's figures: what figures 8 to 14 need (paper 000, section 7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import HEURISTICS, MOST_CREDIT, REORDERS
from streambench.host.limits import default_workers
from streambench.lab.measure.query_bench import worker_counts
from streambench.lab.measure.sweep.product import QUERY_UNIT, Comparison, Product, listed, merged
from streambench.lab.record.statistics import FEWEST_REPEATS
from streambench.queries import query as queries

PRESETS = ("paper", "quick")
FIGURES = ("8", "9", "10", "11", "12", "13", "14")
COSTS = (10.0, 100.0, 1_000.0, 10_000.0)  # microseconds a tuple
HYBRID_PARTITIONS = 100  # the paper's number; partitioned queues get as many as there are workers
FEWEST_RANGES = 3  # of keys N(0, sigma): two hold half of the keys each, whatever sigma


@dataclass(frozen=True)
class Preset:
    """A preset's products by figure, and the settings that go with it."""

    products: dict[str, tuple[Product, ...]]
    repeats: int
    seconds: float
    budget: float | None
    scale_factor: float

    def comparisons(self, only: tuple[str, ...], axes: dict[str, tuple[Any, ...]]) -> tuple[Comparison, ...]:
        """The comparisons of some figures (none named: all), narrowed by ``axes`` as ``Product.changed`` does.

        Figures share configurations: each is measured once. Raises OptionError for a figure that is not there, and
        if nothing is left.
        """
        for figure in only:
            if figure not in self.products:
                raise OptionError(f"`only` takes figures, {listed(FIGURES)}, not {figure!r}.")
        chosen = [product for figure in only or FIGURES for product in self.products[figure]]
        changed = [product.changed(axes) for product in chosen]
        comparisons = merged(each for product in changed if product is not None for each in product.comparisons())
        if not comparisons:
            raise OptionError("nothing is left of the preset: name workloads and choices that it has (see `dry-run`).")
        return comparisons


NO_PRESET = Preset({}, repeats=9, seconds=1.0, budget=None, scale_factor=0.05)
"""What is chosen where no preset is; a lap of that much data, tuple by tuple, lasts a quarter of a second at most."""


def preset(name: str, counts: Sequence[int] = (), ends: Sequence[int] = (), credit: int | None = MOST_CREDIT) -> Preset:
    """A preset for this machine's number of cores, or for so many workers as ``counts`` say and, where only the most
    are looked at, ``ends``. ``credit``: over the queries, as the paper has no such bound. Raises OptionError for one
    that is not there."""
    if name == "paper":
        counts = counts or worker_counts()
        products = _products(counts, ends, credit, (0.1, 0.2, 0.5, 1.0, 2.0), counts)
        return replace(NO_PRESET, products=products, seconds=0.6)
    if name == "quick":
        counts = counts or few_workers()
        products = _products(counts, ends, credit, (0.1, 1.0), (max(counts),))
        return Preset(products, repeats=FEWEST_REPEATS, seconds=0.5, budget=240.0, scale_factor=0.005)
    raise OptionError(f"there is no preset {name!r}: choose from {', '.join(PRESETS)}.")


def few_workers(most: int | None = None) -> list[int]:
    """One worker, all, and the middle between these where it counts in doublings."""
    most = most or default_workers()
    return sorted({1, round(math.sqrt(most)), most})


def _products(
    counts: Sequence[int],
    ends: Sequence[int],
    credit: int | None,
    sigmas: tuple[float, ...],
    early: Sequence[int],
) -> dict[str, tuple[Product, ...]]:
    """Everything tuple by tuple and every operator by itself, as in the paper. ``early``: workers that also route
    units before these are in order."""
    paper: dict[str, Any] = {"units": (1,), "fuse": (False,), "workers": tuple(counts)}
    over_data: dict[str, Any] = {**paper, "queries": queries.PAPER_QUERIES, "credits": (credit,)}
    serial: dict[str, Any] = {"serial_units": (1, QUERY_UNIT)}  # like with like, and what a user would run instead
    several = tuple(count for count in counts if count > 1) or (1,)
    skewed: dict[str, Any] = {**paper, "micro": ("ps",), "keys": ("normal",), "sigmas": sigmas, "costs": (50.0,)}
    skewed["partition_by"] = ("range",)
    even: dict[str, Any] = {**paper, "micro": ("ps",), "costs": COSTS, "workers": tuple(ends) or (max(counts),)}
    selective: dict[str, Any] = {**paper, "micro": ("sl-ps",), "costs": (100.0,), "selectivities": (50.0,)}
    hybrid: dict[str, Any] = {"partitionings": ("hybrid",), "partitions": (HYBRID_PARTITIONS,)}
    partitioned: dict[str, Any] = {"partitionings": ("partitioned",)}
    shared: dict[str, Any] = {"partitionings": ("shared",), "partitions": (HYBRID_PARTITIONS,)}
    return {
        "8": (Product(**over_data, **serial, heuristics=HEURISTICS),),
        "9": (Product(**skewed, **hybrid), Product(**skewed, **partitioned, fewest_partitions=FEWEST_RANGES)),
        "10": (Product(**even, **hybrid), Product(**even, **partitioned), Product(**even, **shared)),
        "11": (Product(**{**over_data, "workers": several}, partitionings=("hybrid", "partitioned", "shared")),),
        "12": (Product(**paper, micro=("sl",), costs=(10.0,), reorders=REORDERS),),
        "13": (
            Product(**selective, reorders=REORDERS, routings=("in-order",)),
            Product(**{**selective, "workers": tuple(early)}, reorders=REORDERS),
        ),
        "14": (Product(**over_data, reorders=REORDERS),),
    }

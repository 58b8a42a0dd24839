"""Pipelines of probe operators, each with its plain twin."""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import plain_operators as plain

from streambench.errors import OperatorError
from streambench.execution.execute import execute
from streambench.execution.measurement import Measurement
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.operator import PartitionedStateful, Stateless

KEY_RANGE = (0, 97)
STATELESS = ("Map", "Rekey", "Filter", "Expand", "ExpandInPieces", "Tag")
KEYED = (
    *("KeyedSum", "KeyedSumInPieces", "KeyedCount", "KeyedLists", "KeyedListsInPieces", "KeyedHold"),
    *("FreeSum", "FreeSumInPieces", "FreeCount"),
)
STATEFUL = ("Total", "TotalInPieces", "Number")
MOST_WIDTH = 6
PIECE = 5  # tuples with which an operator stops whose name says so
# The ways to execute that any property of order must hold for: the paper's schemes, and plans of the engine `ordered`.
EXECUTIONS: dict[str, dict[str, Any]] = {
    "schemes": {"heuristic": "ct"},
    "auto": {"plan": "auto"},
    "whole": {"plan": "whole"},
    "cut": {"plan": "cut"},
    "sharded": {"plan": "sharded"},
}


@dataclass(frozen=True)
class Step:
    """One operator of a pipeline; ``amount`` is what its kind makes of it; it refuses the value ``fail_value``."""

    kind: str
    amount: int = 3
    fail_value: int = -1


Shape = tuple[Step, ...]


def build(
    probes: SimpleNamespace, shape: Shape, tuples: int, *, jitter: int = 0, trickle: bool = False, sink_fails: int = -1
) -> Pipeline:
    """The pipeline of a shape, over the stream (i * 7919 % 97, i)."""
    operators: list[Any] = [probes.Counting(tuples, trickle=trickle)]
    width = 2
    for step in shape:
        common = {"fail_value": step.fail_value, "jitter": jitter}
        keyed = {**common, "key_range": KEY_RANGE}
        match step.kind:
            case "Map":
                made, width = [probes.Map(**common)], 2
            case "Rekey":
                made, width = [probes.Map(rekey=max(1, step.amount), **common)], 2
            case "Filter":
                made, width = [probes.Filter(max(1, step.amount), **common)], 2
            case "Expand":
                made, width = [probes.Expand(step.amount, **common)], 2
            case "ExpandInPieces":
                made, width = [probes.Expand(step.amount, piece=PIECE, **common)], 2
            case "FreeSumInPieces" | "KeyedSumInPieces":
                made, width = [getattr(probes, step.kind.removesuffix("InPieces"))(**keyed)], 2
                made[0].piece = PIECE
            case "TotalInPieces":
                made, width = [probes.Total(piece=PIECE, **common)], 2
            case "Tag" | "Number":
                made, width = [getattr(probes, step.kind)(width, **common)], width + 1
            case "KeyedCount" | "FreeCount":
                made, width = [getattr(probes, step.kind)(width, **keyed)], width + 1
            case "KeyedLists" | "KeyedListsInPieces":
                made, width = [probes.KeyedLists(**keyed), probes.Flatten()], 2
                made[0].piece = PIECE if step.kind.endswith("InPieces") else 0
            case "KeyedHold":
                made, width = [probes.KeyedHold(burst=step.amount % 2 == 1, **keyed)], 2
            case "KeyedSum" | "FreeSum":
                made, width = [getattr(probes, step.kind)(**keyed)], 2
            case "Total":
                made, width = [probes.Total(**common)], 2
            case _:
                raise AssertionError(step.kind)
        operators += made
    return Pipeline([*operators, probes.Recorder(fail_value=sink_fails, jitter=jitter)])


def expected(shape: Shape, tuples: int, sink_fails: int = -1) -> tuple[list[plain.Row], plain.Failure | None]:
    """What plain Python makes of the shape; the failure's place counts the pipeline's operators, source and all."""
    rows, failure = _expected(shape, tuples, sink_fails)
    return list(rows), failure


@functools.lru_cache(maxsize=16)  # the same shape comes to engine after engine
def _expected(shape: Shape, tuples: int, sink_fails: int) -> tuple[tuple[plain.Row, ...], plain.Failure | None]:
    twins: list[plain.Plain] = []
    places = []
    for step in shape:
        places.append(1 + len(places) + sum(each.kind.startswith("KeyedLists") for each in shape[: len(places)]))
        match step.kind.removesuffix("InPieces"):
            case "Rekey":
                twins.append(plain.Map(rekey=max(1, step.amount), fail_value=step.fail_value))
            case "Filter":
                twins.append(plain.Filter(modulus=max(1, step.amount), fail_value=step.fail_value))
            case "Expand":
                twins.append(plain.Expand(copies=step.amount, fail_value=step.fail_value))
            case kind:
                twins.append(getattr(plain, kind)(fail_value=step.fail_value))
    places.append(1 + len(shape) + sum(each.kind.startswith("KeyedLists") for each in shape))
    rows, failure = plain.run([*twins, plain.Sink(fail_value=sink_fails)], plain.counting(tuples))
    return tuple(rows), failure and replace(failure, place=places[failure.place])


@dataclass(frozen=True)
class Outcome:
    """What a run left: the sink's tuples, the error if any, how often two workers were where one may be."""

    rows: list[plain.Row]
    error: OperatorError | None
    violations: int
    measured: Measurement | None


def outcome(pipeline: Pipeline, options: Options) -> Outcome:
    error = measured = None
    try:
        measured = execute(pipeline, options)
    except OperatorError as refused:
        error = refused
    violations = sum(getattr(each, "violations", 0) for each in pipeline.operators)
    return Outcome(pipeline.sink.rows(), error, violations, measured)


def random_shape(draw: random.Random, most: int = 6) -> Shape:
    """Any operators in any order; the product of selectivities stays small enough to compute in Python."""
    shape: list[Step] = []
    width, gain = 2, 1
    for _ in range(draw.randint(0, most)):
        kind = draw.choice(draw.choice((STATELESS, KEYED, STATEFUL)))
        amount = draw.choice((1, 2, 3, 5, 50)) if kind.startswith("Expand") else draw.choice((1, 2, 7, 40))
        if kind == "Filter" and amount == 1 and draw.random() < 0.7:
            amount = 3  # a filter that lets nothing pass makes a dull rest
        growth = {"Expand": amount, "KeyedSum": 2, "FreeSum": 2, "KeyedLists": 2}.get(kind.removesuffix("InPieces"), 1)
        wider = kind in ("Tag", "KeyedCount", "FreeCount", "Number")
        if gain * growth > 60 or (wider and width == MOST_WIDTH):
            continue
        gain, width = gain * growth, width + 1 if wider else 2
        shape.append(Step(kind, amount))
    return tuple(shape)


def random_plan(draw: random.Random, shape: Shape, probes: SimpleNamespace) -> str:
    """Any plan for the shape: a named one, or cuts at any operators that may have one, by partition or not."""
    if draw.random() < 0.3:
        return draw.choice(("auto", "whole", "cut", "sharded"))
    operators = build(probes, shape, 0).operators
    ordered = [place for place, each in enumerate(operators) if place and not isinstance(each, Stateless)]
    heads = draw.sample(ordered, draw.randint(1, len(ordered)))
    return "|".join(
        f"{place}*" if isinstance(operators[place], PartitionedStateful) and draw.random() < 0.6 else f"{place}"
        for place in heads
    )

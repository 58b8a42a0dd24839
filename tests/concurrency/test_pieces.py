"""A unit that an operator expands goes on in pieces: the sequence stays the same, and no piece is too large."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from everywhere import EVERYWHERE
from pipelines import Shape, Step, build, expected, outcome
from sanitized import size

import streambench
from streambench.errors import OperatorError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource
from streambench.pyx.tuples.unit import FAR_PIECE, NEAR_PIECE

EXPAND, KEYED, TOTAL = Step("ExpandInPieces", 7), Step("FreeSumInPieces"), Step("TotalInPieces")
BY_PARTITION, LISTS = Step("KeyedSumInPieces"), Step("KeyedListsInPieces")
SHAPES: dict[str, Shape] = {
    "behind the source": (EXPAND, Step("KeyedSum"), Step("Total")),
    "with a turn, before a keyed operator": (KEYED, Step("KeyedCount"), Step("Total")),
    "with a turn, before stateless ones": (TOTAL, Step("Map"), Step("Expand", 2), Step("FreeCount")),
    "behind a turn": (Step("Total"), EXPAND, Step("FreeSum"), Step("Number")),
    "the last operator": (Step("KeyedSum"), TOTAL),
    "twice, with a turn each": (TOTAL, Step("KeyedCount"), TOTAL, Step("FreeSum")),
    "twice, around a keyed operator": (EXPAND, Step("FreeCount"), EXPAND, Step("KeyedSum")),
    "three times, one behind the other": (KEYED, EXPAND, TOTAL),
    "of what is held to the end": (Step("KeyedHold", 2), TOTAL, EXPAND, Step("FreeSum"), Step("KeyedHold", 1), TOTAL),
    "by partition, the first operator": (BY_PARTITION, Step("KeyedCount"), Step("Total")),
    "by partition, the last operator": (Step("Total"), BY_PARTITION),
    "by partition, twice": (BY_PARTITION, BY_PARTITION, Step("FreeSum")),
    "by partition, behind one with a turn": (TOTAL, BY_PARTITION, Step("KeyedCount"), TOTAL),
    "by partition, with stateless ones behind": (BY_PARTITION, EXPAND, Step("FreeCount"), Step("Number")),
    "by partition, of what is held to the end": (
        Step("KeyedHold", 2),
        BY_PARTITION,
        Step("KeyedHold", 1),
        BY_PARTITION,
    ),
    "by partition, lists": (Step("KeyedSum"), LISTS, Step("KeyedCount"), LISTS),
    "of lists": (Step("KeyedLists"), EXPAND, Step("KeyedLists"), TOTAL),
    "and a filter that lets nothing pass": (EXPAND, Step("Filter", 1), TOTAL),
}


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("shape", SHAPES)
def test_pieces_leave_in_the_order_of_the_tuples_they_come_from(
    probes: SimpleNamespace, shape: str, where: str
) -> None:
    tuples, most = size(300, 75), size(256, 64)  # more than a unit has
    wanted, _ = expected(SHAPES[shape], tuples)
    for unit, workers, credit in ((1, 1, 2), (most // 4, 2, 4), (most, 4, 8)):
        options = Options(unit=unit, workers=workers, credit=credit, pin=False, **EVERYWHERE[where])
        got = outcome(build(probes, SHAPES[shape], tuples, jitter=1), options)
        assert (got.error, got.violations) == (None, 0)
        assert got.rows == wanted


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("refusing", range(4))
def test_a_refused_tuple_of_any_piece_is_told_with_its_number(
    probes: SimpleNamespace, refusing: int, where: str
) -> None:
    draw = random.Random(refusing)
    steps = [Step("ExpandInPieces", 7), Step("FreeSumInPieces"), Step("KeyedSumInPieces"), Step("TotalInPieces")]
    steps[refusing] = Step(steps[refusing].kind, 7, fail_value=draw.randrange(100, 130))
    wanted, failure = expected(tuple(steps), 700)
    assert failure is not None
    for unit in (1, 64, 256):
        options = Options(unit=unit, workers=2, credit=4, pin=False, **EVERYWHERE[where])
        got = outcome(build(probes, tuple(steps), 700), options)
        assert got.error is not None
        assert (got.error.serial, got.rows) == (failure.serial, wanted)


@pytest.mark.parametrize("where", EVERYWHERE)
def test_no_piece_of_a_thousandfold_unit_is_larger_than_it_may_be(probes: SimpleNamespace, where: str) -> None:
    values = np.arange(3000)
    peak = probes.Peak()
    pipeline = Pipeline([TableSource([values], ["value"]), probes.Thousandfold(), peak, TableSink(keep=True)])
    execute(pipeline, Options(unit=1024, workers=2, pin=False, **EVERYWHERE[where]))
    assert np.array_equal(pipeline.sink.rows()[0], values)
    most = NEAR_PIECE if where in ("serial", "whole") else FAR_PIECE
    assert 0 < peak.most < most + 1000


@pytest.mark.parametrize("where", EVERYWHERE)
def test_what_partitions_emit_of_a_thousandfold_unit_is_bounded_in_all_of_them_together(
    probes: SimpleNamespace, where: str
) -> None:
    """Of 1024 tuples a million come. No partition holds more than its share of a piece and what the last tuple gave."""
    values, partitions = np.arange(2048), 4
    shared_out = {} if where == "serial" else {"partitions": partitions}
    expanding, peak = probes.ThousandfoldByKey(), probes.Peak()
    expanding.low_key, expanding.high_key = 0, len(values)
    pipeline = Pipeline([TableSource([values], ["value"]), expanding, peak, TableSink(keep=True)])
    execute(pipeline, Options(unit=1024, workers=2, pin=False, **{**EVERYWHERE[where], **shared_out}))
    assert np.array_equal(pipeline.sink.rows()[0], values)
    most = NEAR_PIECE if where in ("serial", "whole") else FAR_PIECE
    shares = {"serial": 1, "by range": 2}.get(where, partitions)  # groups of a unit: ascending values lie in two ranges
    assert 0 < expanding.most < most // shares + 1000
    assert 0 < peak.most < most + shares * 1000


def many_times(state: Any, value: Any, to_value: Any) -> int:
    """A function that makes many of one, and does not take a number that it makes too much of."""
    n = 0
    for each in value:
        if each == 777:
            raise ValueError("not this one")
        state.seen += 1
        to_value[n : n + 1000] = state.seen
        n += 1000
    return n


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("refused", [False, True])
def test_a_function_that_makes_a_thousand_of_one_is_called_for_as_many_as_fill_a_piece(
    probes: SimpleNamespace, where: str, refused: bool
) -> None:
    values = np.arange(1000 if refused else 700)
    expanding = streambench.stateful(state=[("seen", "int64")], emits="value", most=1000, numba=False)(many_times)
    peak = probes.Peak()
    pipeline = Pipeline([TableSource([values], ["value"]), expanding, peak, TableSink(keep=True)])
    options = Options(unit=256, workers=2, pin=False, **EVERYWHERE[where])
    if refused:
        with pytest.raises(OperatorError, match="not this one") as told:
            execute(pipeline, options)
        assert told.value.serial == 777
    else:
        execute(pipeline, options)
    assert pipeline.sink.rows()[0].tolist() == list(range(1, 778 if refused else 701))
    most = NEAR_PIECE if where in ("serial", "whole") else FAR_PIECE
    assert 0 < peak.most < 2 * most


def test_an_operator_that_does_not_ask_emits_all_at_once(probes: SimpleNamespace) -> None:
    shape = (Step("Expand", 50), Step("Total"))
    wanted, _ = expected(shape, 1000)
    assert outcome(build(probes, shape, 1000), Options(engine="serial", unit=1000)).rows == wanted

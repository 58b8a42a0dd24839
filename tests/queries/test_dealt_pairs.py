"""Q1's pairs, made where they are counted: the output is the serial engine's, and that of plain counting."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streambench.pyx.partition.dealt import dealt_behind
from streambench.queries.q1.dealt_pairs import DealtPairs
from streambench.queries.q1.operators import KeepLines, TicketPairs

from streambench.errors import OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource
from streambench.queries.common.top_counted import top_counted

NAMES = ["ts", "ss_ticket_number", "ss_item_sk"]
COLUMNS = ("hour", "item_a", "item_b")
ITEMS = 3000
DEALT = "2**|5"
Line = tuple[int, int, int]  # ts, ticket, item


def stream(draw: random.Random, tickets: int, items: int, largest: int = 12) -> list[Line]:
    """Tickets of one item and of many; items again, out of order, across the end of an hour; hours without any."""
    lines: list[Line] = []
    ts = 0
    for ticket in range(0, 2 * tickets, 2):
        ts += draw.choice((0, 0, 1, 400, 3600, 9000))
        own = [draw.randrange(items) for _ in range(draw.randint(1, largest))]
        if draw.random() < 0.6:
            own.sort()
        for item in own:
            ts += draw.random() < 0.1
            lines.append((ts, ticket, item))
    return lines


def made(
    lines: list[Line], wide: bool, top: int, min_count: int, *, hourly: bool = True, ascending: bool = True
) -> Pipeline:
    columns: list[Any] = list(zip(*lines, strict=True))
    types = ("int64", "int64", "int64") if wide else ("uint32", "int32", "int32")
    source = TableSource([np.array(each, dtype=kind) for each, kind in zip(columns, types, strict=True)], NAMES)
    pairs = TicketPairs(ascending, hourly, DealtPairs)
    pairs.high_key = max(columns[1]) + 1
    counted = top_counted(COLUMNS, {"top": top}, ITEMS, min_count=min_count)
    return Pipeline([source, KeepLines(), pairs, *counted, TableSink()])


def run(pipeline: Pipeline, options: Options) -> tuple[list[Any], list[int]]:
    """The output's rows, and how many tuples each operator was given."""
    found = execute(pipeline, options)
    sink = pipeline.operators[-1]
    rows = list(zip(*(column.tolist() for column in sink.rows()), strict=True))
    return rows, [each["tuples_in"] for each in found.profile[1:]]


def plainly(lines: list[Line], top: int, min_count: int) -> list[tuple[int, ...]]:
    counts: dict[int, Counter[tuple[int, int]]] = {}
    tickets: dict[int, dict[int, int]] = {}
    for ts, ticket, item in lines:
        tickets.setdefault(ticket, {}).setdefault(item, ts // 3600)
    for items in tickets.values():
        for (a, _), (b, hour) in combinations(items.items(), 2):
            counts.setdefault(hour, Counter())[min(a, b), max(a, b)] += 1
    return [
        (hour, *pair, n)
        for hour in sorted(counts)
        for pair, n in sorted(counts[hour].items(), key=lambda each: (-each[1], each[0]))[:top]
        if n > min_count
    ]


@pytest.mark.parametrize("seed", range(24))
def test_the_output_is_that_of_one_thread_and_of_plain_counting(seed: int) -> None:
    draw = random.Random(seed)
    lines = stream(draw, draw.choice((1, 30, 200)), draw.choice((3, 10, 40, ITEMS)))
    wide, top, least = draw.random() < 0.5, draw.choice((1, 3, 100)), draw.choice((0, 0, 2))
    options = Options(
        workers=draw.choice((1, 2, 3)), partitions=draw.choice((2, 3, 8)), unit=draw.choice((1, 7, 64, 4096)),
        plan=DEALT, pin=False,
    )  # fmt: skip
    rows, given = run(made(lines, wide, top, least), options)
    assert rows == plainly(lines, top, least)
    assert (rows, given) == run(made(lines, wide, top, least), Options(engine="serial"))


@pytest.mark.parametrize("seed", range(12))
def test_plans_may_change_amid_a_ticket_and_an_hour(fickle: Callable[..., list[Any]], seed: int) -> None:
    """State goes from the operators to those that are dealt, and back."""
    draw = random.Random(seed)
    controllers = fickle(seed, draw.choice((1, 3)), draw.choice((3, 40)))
    lines = stream(draw, 150, draw.choice((4, 12, 300)), 30)
    top = draw.choice((1, 4, 50))
    options = Options(workers=draw.choice((2, 3)), partitions=draw.choice((2, 5)), unit=3, plan=DEALT, pin=False)
    rows, given = run(made(lines, False, top, 0), options)
    assert controllers[0].changes > 0
    assert rows == plainly(lines, top, 0)
    assert (rows, given) == run(made(lines, False, top, 0), Options(engine="serial"))


def test_a_ticket_of_1110_items_is_no_piece_of_a_unit_and_counts_as_serial_does() -> None:
    draw = random.Random(1)
    lines = [(0, 0, item) for item in (1, 5, 9)] + [(10, 1, item) for item in sorted(draw.sample(range(ITEMS), 1110))]
    lines += [(20, 2, item) for item in draw.sample(range(ITEMS), 300)] + [(3601, 3, item) for item in (5, 1)]
    found = [
        run(made(lines, False, 100, 0), each) for each in (Options(workers=2, plan=DEALT), Options(engine="serial"))
    ]
    assert found[0] == found[1]
    assert found[0][0] == plainly(lines, 100, 0)


def test_of_a_unit_that_is_stopped_no_further_pairs_are_made(probes: SimpleNamespace) -> None:
    lines = [(0, 0, item) for item in range(500)]
    for stopped, pairs in ((False, 500 * 499 // 2), (True, 0)):
        pipeline = made(lines, False, 100, 0)
        for each in pipeline.operators:
            each.prepare(2)
        (stands_for,) = dealt_behind(pipeline.operators, [2] * len(pipeline.operators)).values()
        assert probes.made_by_shards(pipeline.source, stands_for, len(lines), stopped) == pairs


def test_parts_may_be_many_counts_below_the_level_of_all(fickle: Callable[..., list[Any]]) -> None:
    """Six pairs in eight partitions: few parts ever have as many as are wanted."""
    controllers = fickle(1, 3, 40)
    lines = [(ticket, ticket, item) for ticket in range(15_000) for item in range(4) if (ticket + item) % 5]
    found = run(made(lines, False, 3, 0), Options(workers=2, partitions=8, unit=3, plan=DEALT, pin=False))
    assert controllers[0].changes > 10
    assert found[0] == plainly(lines, 3, 0)


def test_what_is_made_is_shared_out_by_a_hash_among_two_partitions_at_least() -> None:
    lines = [(0, 0, 1), (0, 0, 2)]
    with pytest.raises(OptionError, match=r"needs partitions of 2 or more: what is made is shared out among them\.$"):
        run(made(lines, False, 5, 0), Options(workers=2, plan=DEALT, partitions=1))
    with pytest.raises(OptionError, match=r"by a hash: leave out partition_by range\.$"):
        run(made(lines, False, 5, 0), Options(workers=2, plan=DEALT, partitions=2, partition_by="range"))


def test_one_window_for_the_whole_stream() -> None:
    lines = stream(random.Random(3), 100, 12)
    serial, dealt = (Options(engine="serial"), Options(workers=2, plan=DEALT))
    assert run(made(lines, False, 5, 3, hourly=False), dealt) == run(made(lines, False, 5, 3, hourly=False), serial)


def test_where_a_ticket_may_come_back_pairs_are_not_dealt() -> None:
    with pytest.raises(OptionError, match=r"operator 2 cannot run by partition of what it makes\.$"):
        run(made([(0, 1, 1), (0, 0, 2), (1, 1, 3)], False, 5, 0, ascending=False), Options(workers=2, plan=DEALT))
    with pytest.raises(OptionError, match=r"operators 2, 3, 4 are one segment, which only the first begins\.$"):
        run(made([(0, 0, 1)], False, 5, 0), Options(workers=2, plan="2**|3"))

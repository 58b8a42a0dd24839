"""Plans: as they are written, as words, and as segments with turns."""

from __future__ import annotations

import random
import re
from types import SimpleNamespace
from typing import Any

import pytest

from streambench.errors import OptionError
from streambench.execution import plans
from streambench.pyx.operator import PartitionedStateful, Sink, Source, Stateful, Stateless

KINDS: dict[str, Any] = {"o": Stateless, "k": PartitionedStateful, "f": Stateful}
LARGEST_EPOCH = (1 << 19) - 1


def operators(kinds: str) -> list[Any]:
    """A source, operators by their initials (o: stateless, k: keyed, f: one state for all), and a sink."""
    return [Source(), *(KINDS[each]() for each in kinds), Sink()]


def places(bits: int) -> list[int]:
    return [place for place in range(32) if bits >> place & 1]


@pytest.mark.parametrize(
    ("text", "heads", "sharded"),
    [
        ("whole", [], []),
        ("cut", [2, 3, 5, 6], []),
        ("sharded", [2, 3, 5, 6], [2, 5]),
        ("2", [2], []),
        ("3", [2, 3], []),
        ("6", [2, 6], []),
        ("5*|3", [2, 3, 5], [5]),
        ("2*|3|5*|6", [2, 3, 5, 6], [2, 5]),
    ],
)
def test_a_plan_as_it_is_written(text: str, heads: list[int], sharded: list[int]) -> None:
    """The first operator that is not stateless begins a segment, named or not."""
    found = plans.cuts(text, operators("okfok"))
    assert found is not None
    assert (places(found[0]), places(found[1])) == (heads, sharded)


def test_auto_is_no_plan_yet() -> None:
    assert plans.cuts("auto", operators("k")) is None


@pytest.mark.parametrize("text", ["", "x", "2|", "|2", "*", "2***", "*2", "2,3", "-1", "2 | 3", "Auto", "2\n", "²"])
def test_what_is_no_plan_is_refused_in_one_sentence(text: str) -> None:
    sentence = (
        "plan must be auto, whole, cut, sharded, or places of operators such as 2|3*|5 (* runs by partition), "
        f"not {text!r}."
    )
    with pytest.raises(OptionError, match=f"^{re.escape(sentence)}$"):
        plans.check(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0", "plan 0: a segment can begin at operators 2, 3, 5, 6 here, not at 0."),
        ("2|4", "plan 2|4: a segment can begin at operators 2, 3, 5, 6 here, not at 4."),
        ("7", "plan 7: a segment can begin at operators 2, 3, 5, 6 here, not at 7."),
        ("2*|3*", "plan 2*|3*: only operators 2, 5 can run by partition, not 3."),
        ("6*", "plan 6*: only operators 2, 5 can run by partition, not 6."),
    ],
)
def test_a_plan_that_the_pipeline_cannot_have_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(sentence)}$"):
        plans.cuts(text, operators("okfok"))


def test_no_keyed_operator_is_named_as_none() -> None:
    with pytest.raises(OptionError, match=re.escape("only operators (none) can run by partition, not 1.")):
        plans.cuts("1*", operators("f"))


def test_a_plan_in_words() -> None:
    names = ["Source", "Known", "Sessions", "Pairs", "Top", "Sink"]
    assert plans.describe(names, [], [], 8) == "whole"
    assert plans.describe(names, [2, 4], [2], 8) == "Source + Known | Sessions x8 + Pairs | Top + Sink"


def completed(kinds: str, heads: set[int], sharded: set[int]) -> list[int]:
    """What needs order begins a segment behind the source, and behind an operator that runs by partition."""
    if not heads:
        return []
    found = []
    ordered = False  # behind a head that one worker has at a time
    for place, kind in enumerate(f"o{kinds}f"):
        if place in heads or (place and kind != "o" and not ordered):
            found.append(place)
            ordered = place not in sharded
    return found


@pytest.mark.parametrize("seed", range(60))
def test_segments_hold_every_operator_once_and_whoever_needs_order_has_a_turn(
    probes: SimpleNamespace, seed: int
) -> None:
    draw = random.Random(seed)
    kinds = "".join(draw.choices("okf", k=draw.randint(0, 9)))
    made = operators(kinds)
    able = [place for place, kind in enumerate(f"o{kinds}f") if place and kind != "o"]
    heads = {place for place in able if draw.random() < 0.5}
    sharded = {place for place in heads if isinstance(made[place], PartitionedStateful) and draw.random() < 0.5}
    partitions = [draw.choice((1, 2, 16, 17, 300)) for _ in made]
    wanted = completed(kinds, heads, sharded)
    assert probes.completed_heads(made, heads, sharded) == wanted
    assert probes.completed_heads(made, wanted, sharded) == wanted
    serial = draw.choice((0, 1, 1 << 38))
    found = probes.segments(made, heads, sharded, partitions, serial)
    if not heads:
        assert found is None
        return
    assert [head for head, *_ in found[1:]] == wanted
    ends = [end for _, _, end, *_ in found]
    assert [0, *ends] == [*(head for head, *_ in found), len(made)]
    for head, tail, end, is_sharded, turns in found[1:]:
        assert is_sharded == (head in sharded)
        assert turns == [2 * serial] * (partitions[head] if is_sharded else 1)
        in_order = [place for place in range(head, end) if place in able]
        assert tail == max(in_order) + 1, "stateless operators at the end, and no other, need no turn"
        assert not is_sharded or in_order == [head]
    assert not set(range(found[0][2])) & set(able), "the source's segment has no turn"


def test_of_two_units_segments_or_plans_no_readiness_is_the_same(probes: SimpleNamespace) -> None:
    """A slot goes from unit to unit, and an old plan may still be looked at."""
    seen = [
        probes.readiness(epoch, serial, segment)
        for epoch in (0, 1, 2, LARGEST_EPOCH)
        for serial in (0, 1, 2, 16, 1 << 38)
        for segment in (1, 2, 23)
    ]
    assert len({0, *seen}) == len(seen) + 1, "0 is a slot that no unit has been in"


def test_units_and_plans_near_each_other_are_told_apart_however_many_there_have_been(probes: SimpleNamespace) -> None:
    """A unit's word has no room for all of either number."""
    for units in (1 << 39, 1 << 40, 1 << 62):
        for plans_before in (LARGEST_EPOCH + 1, 1 << 40):
            seen = {
                probes.readiness(epoch, serial, segment)
                for epoch in range(plans_before - 2, plans_before + 2)
                for serial in range(units - 20, units + 20)
                for segment in (1, 2, 23)
            }
            assert len(seen - {0}) == 4 * 40 * 3


def test_what_cannot_run_by_partition_runs_so_only_along_with_what_it_is_dealt_with(probes: SimpleNamespace) -> None:
    """A plan of which a head has gone, or come, may have such a bit left: nobody could index for that operator."""
    made = operators("okkf")
    for heads, dealt in (({2, 3}, [(2, 5)]), ({2}, []), ({2, 4}, [(2, 5)])):
        found = probes.segments(made, heads, {2, 3, 4}, [1, 1, 8, 8, 1, 1], 0, dealt)
        assert not any(sharded for head, _, _, sharded, _ in found if head > 3)
    *_, together, sink = probes.segments(made, {2, 5}, {2, 3, 4}, [1, 1, 8, 8, 1, 1], 0, [(2, 5)])
    assert together[:4] == (2, 5, 5, True)
    assert sink[0] == 5

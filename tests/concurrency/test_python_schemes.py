"""Reorder buffers and worklists in Python keep the order of one thread; what breaks a rule ends the run."""

from __future__ import annotations

import random
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from pipelines import Shape, Step, build, expected, outcome, random_shape
from sanitized import size

from streambench import OptionError
from streambench.execution.options import Options

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "own_schemes"
OWN = {"reorder": "heap:Heap", "partitioning": "longest_first:LongestFirst"}
IN_PIECES: Shape = (Step("TotalInPieces"), Step("KeyedSumInPieces"), Step("KeyedCount"), Step("TotalInPieces"))

RULE_BREAKERS = """
class Raises:
    def put(self, number):
        raise LookupError("no more")

    def take(self, free):
        return free[0]


class RaisesLater:
    def put(self, number):
        return [number]

    def take(self, free):
        raise KeyError(free[0])


class Interrupted:
    def put(self, number):
        raise KeyboardInterrupt


class Twice:
    def put(self, number):
        return [] if number else [0, 0]

    def take(self, free):
        return -1


class Never:
    def put(self, number):
        return []

    def take(self, free):
        return None


class Early:
    def put(self, number):
        return range(number, number + 100)

    def take(self, free):
        return free


class NoList:
    def put(self, number):
        return None

    def take(self, free):
        return float("nan")


class Without:
    def put(self, number):
        return [number]
"""


@pytest.fixture(autouse=True)
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rule_breakers.py").write_text(RULE_BREAKERS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.mark.parametrize("own", [OWN, *({name: OWN[name]} for name in OWN)], ids=["both", *OWN])
@pytest.mark.parametrize("workers", [1, 2, 4, 8])
@pytest.mark.parametrize("seed", range(6))
def test_the_sequence_is_that_of_one_thread(
    probes: SimpleNamespace, own: dict[str, str], workers: int, seed: int
) -> None:
    draw = random.Random(seed)
    shape, tuples = random_shape(draw) if seed else IN_PIECES, size(400, 100)
    how = {"unit": draw.choice((1, 7, 64)), "credit": draw.choice((2, 16)), "partitions": draw.choice((1, 3, 10))}
    options = Options(workers=workers, heuristic=draw.choice(("qst", "lp", "et", "ct", "walk")), **how, **own)
    got = outcome(build(probes, shape, tuples, jitter=2), options)
    assert (got.error, got.violations) == (None, 0)
    assert got.rows == outcome(build(probes, shape, tuples), Options(engine="serial")).rows
    assert got.rows == expected(shape, tuples)[0]


@pytest.mark.parametrize(
    ("option", "name", "why"),
    [
        ("reorder", "Raises", r"the reorder buffer Raises raised LookupError in put: no more\.$"),
        ("reorder", "Twice", r"the reorder buffer Twice returned 0 from put\(0\), but 1 is next in order\.$"),
        ("reorder", "Never", r"the reorder buffer Never kept \d+ in put\(\d+\): it is next in order, so return it\.$"),
        ("reorder", "Early", r"the reorder buffer Early returned (\d+) from put\(\d+\), "),
        ("reorder", "NoList", r"the reorder buffer NoList raised TypeError in put: 'NoneType' object is not iterable"),
        ("partitioning", "Raises", r"the worklist Raises raised LookupError in put: no more\.$"),
        ("partitioning", "RaisesLater", r"the worklist RaisesLater raised KeyError in take: \d\.$"),
        (
            "partitioning",
            "Twice",
            r"the worklist Twice returned -1 from take\(\), not a partition that is free: one of ",
        ),
        ("partitioning", "Never", r"the worklist Never returned None from take\(\), not a partition that is free: one"),
        ("partitioning", "Early", r"the worklist Early returned \[.*\] from take\(\), not a partition that is free: o"),
        ("partitioning", "NoList", r"the worklist NoList returned nan from take\(\), not a partition that is free: on"),
        ("partitioning", "Without", r"rule_breakers:Without has no method `take\(free\)`: give it one\.$"),
        ("partitioning", "Missing", r"module rule_breakers has no class Missing\.$"),
    ],
)
@pytest.mark.parametrize("workers", [1, 2, 8])
def test_what_is_wrong_ends_the_run(probes: SimpleNamespace, option: str, name: str, why: str, workers: int) -> None:
    shape = (Step("Map"), Step("KeyedSum"), Step("Total"))
    options = Options(workers=workers, unit=3, partitions=3, **{option: f"rule_breakers:{name}"})  # type: ignore[arg-type]
    with pytest.raises(OptionError) as raised:
        outcome(build(probes, shape, 2000), options)
    assert re.search(why, str(raised.value)), raised.value


def test_ctrl_c_amid_a_method_is_ctrl_c(probes: SimpleNamespace) -> None:
    """It reaches workers where they are simulated, in the main thread."""
    options = Options(workers=2, unit=3, reorder="rule_breakers:Interrupted")
    with pytest.raises(KeyboardInterrupt):
        outcome(build(probes, (Step("Map"), Step("KeyedSum")), 2000), options)

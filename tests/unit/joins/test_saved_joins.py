"""A join at the head that is cut anywhere goes on with the pairs that an undisturbed run has."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from saved_runs import run, write_at_once

import streambench
from streambench.errors import DataError

ROWS, UNIT = 400, 25


def side(seed: int, name: str) -> pa.Table:
    draw = np.random.default_rng(seed)
    ts = np.cumsum(draw.integers(0, 3, ROWS))
    return pa.table({"ts": ts, name: np.arange(ROWS), "x": draw.integers(0, 6, ROWS)})


def source(seed: int, tier: str, rule: str, window: int = 20) -> streambench.ArrowJoinSource:
    left, right = side(seed, "left"), side(seed + 1000, "right")
    return streambench.ArrowJoinSource(left, right, window=window, equal=[("x", "x")], rule=rule, tier=tier,
                                       columns=["left", "right"])  # fmt: skip


def fault(pair: tuple[int, int] | None) -> Any:
    @streambench.mapped(appends="fault", numba=False)
    def fault(left: int, right: int) -> int:
        if (left, right) == pair:
            raise RuntimeError("the power is gone")
        return 0

    return fault


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rule", ["exact", "three-step", "count"])
@pytest.mark.parametrize("tier", ["scan", "simd", "codes", "index"])
def test_a_join_cut_twice_gives_the_undisturbed_pairs(
    tier: str, rule: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_at_once(monkeypatch)
    draw = random.Random(f"{tier} {rule} {seed}")
    expected = streambench.TableSink()
    digest = streambench.Pipeline([source(seed, tier, rule), fault(None), expected]).run(engine="serial").digest
    pairs = list(zip(*(each.tolist() for each in expected.rows()[1:3]), strict=True))
    for at in sorted(draw.sample(range(2 * UNIT, len(pairs)), 2)):
        operators = [source(seed, tier, rule), fault(pairs[at]), streambench.TableSink()]
        run(operators, tmp_path, fails=True, unit=draw.choice((1, 7, UNIT)), workers=draw.choice((1, 2, 4)))
    ended = run([source(seed, tier, rule), fault(None), streambench.TableSink()], tmp_path, fails=False, unit=UNIT)
    assert ended.checkpoints["begun_at"] > UNIT
    assert ended.digest == digest


def test_another_window_is_another_join(tmp_path: Path) -> None:
    streambench.Pipeline([source(1, "codes", "exact"), streambench.TableSink()]).run(checkpoint=tmp_path)
    with pytest.raises(DataError, match="are of another pipeline, whose operator 0 is ArrowJoinSource"):
        streambench.Pipeline([source(1, "codes", "exact", 21), streambench.TableSink()]).run(checkpoint=tmp_path)

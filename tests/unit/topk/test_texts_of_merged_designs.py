"""Designs that merge parts hold more than they show: the texts of all that they hold are kept."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from streambench import TopK
from streambench.topk import topk


@pytest.mark.parametrize("design", ["independent", "hybrid", "hashed", "independent-fast", "fast"])
def test_an_item_that_was_cut_off_comes_back_with_its_text(design: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topk, "PIECE", 8)
    hitters = TopK(counters=2, design=design, threads=2)
    hitters.update(["a"] * 1000 + ["b"] * 900, 0)
    random = np.random.default_rng(1)
    for k in range(40):
        hitters.update(pa.array([f"{k}-{each}" for each in range(20)] + ["b"] * int(random.integers(0, 9))), k % 2)
        answer = hitters.answer()
        assert all(row.lower <= 1000 if row.item == "a" else True for row in answer)
        assert answer.n == hitters.answer().n


def test_restored_rows_are_all_there_where_a_design_has_more_than_its_counters() -> None:
    hitters = TopK(counters=100, design="independent-fast", threads=4)
    for thread in range(4):
        hitters.update(np.arange(thread * 1000, thread * 1000 + 500), thread)
    before = hitters.answer()
    after = TopK.from_bytes(hitters.to_bytes(), design="fast").answer()
    assert len(before) > 100
    assert after.to_table().equals(before.to_table())
    assert after.floor == before.floor

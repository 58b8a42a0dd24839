"""Boxes as Python callables, Numba functions and Cython functions of a module."""

from __future__ import annotations

import types
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from streambench.snet.net import Net

SOURCE = "box scale ((a, <k>) -> (a, <n>)); net X connect scale;"


def run(boxes: Any) -> list[dict[str, Any]]:
    return list(Net.parse(SOURCE).run([{"a": np.array([1.0, 2.0]), "<k>": 3, "x": "kept"}], boxes))


def check(made: list[dict[str, Any]]) -> None:
    assert [each.keys() for each in made] == [{"a", "x", "<n>"}]
    assert made[0]["a"].tolist() == [3.0, 6.0]
    assert made[0]["<n>"] == 2


def test_a_module_s_functions_are_boxes() -> None:
    module = types.ModuleType("scaling")
    module.scale = lambda a, k: {"a": a * k, "<n>": len(a)}  # type: ignore[attr-defined]
    check(run(module))


def test_a_numba_function_is_a_box() -> None:
    numba = pytest.importorskip("numba")

    @numba.njit  # type: ignore[untyped-decorator,unused-ignore]
    def scale(a: Any, k: int) -> Any:
        return a * k, len(a)

    check(run({"scale": scale}))


def test_a_cython_function_is_a_box(probes: SimpleNamespace) -> None:
    check(run({"scale": probes.snet_scale}))

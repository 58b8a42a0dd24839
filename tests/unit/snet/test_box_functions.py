"""Boxes as Python callables, Numba functions and Cython functions of a module."""

from __future__ import annotations

import types
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from streambench.errors import DataError
from streambench.snet.errors import SnetError
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


class _Unspoken:
    def __repr__(self) -> str:
        raise RuntimeError("it has no spelling")

    def __index__(self) -> int:
        raise RuntimeError("it is no number")


def _raising(problem: BaseException) -> Any:
    def raising(t: int) -> Any:
        if t == 1:
            raise problem
        return {"<u>": t}

    return raising


@pytest.mark.parametrize("runtime", ["naive", "front", "threads"])
@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (_raising(SystemExit(0)), r"raised SystemExit: 0 \(test_box_functions.py, line [0-9]+\)"),
        (_raising(GeneratorExit()), r"raised GeneratorExit \(test_box_functions.py, line [0-9]+\)"),
        (_raising(ValueError(10**5000)), r"raised ValueError \(test_box_functions.py, line [0-9]+\)"),
        (_raising(ValueError("x" * 5000)), r"raised ValueError: x{200}\[\.\.\.\] \(.*\)"),
        (lambda t: {"<u>": 10**5000 if t else 0}, "gives tag <u> the value <int>: tags have 32 bits"),
        (
            lambda t: {"<u>": [0] * 5000 if t else 0},
            r"gives tag <u> the value [0,\[ ]{200}\[\.{3}\]: tags have.*",
        ),
        (
            lambda t: _Unspoken() if t else {"<u>": 0},
            "gives <_Unspoken>: boxes give None, dicts, tuples or lists of them",
        ),
        (lambda t: {"<u>": _Unspoken() if t else 0}, "gives tag <u> the value <_Unspoken>: tags have 32 bits"),
    ],
)
def test_what_ends_a_box_is_told_in_a_sentence(function: Any, sentence: str, runtime: Any) -> None:
    net = Net.parse("box f ((<t>) -> (<u>)); net X connect f;")
    with pytest.raises(SnetError, match=rf"^<text>, line 1: box f {sentence}\.$"):
        list(net.run([{"<t>": 0}, {"<t>": 1}], {"f": function}, runtime=runtime))


@pytest.mark.parametrize("runtime", ["naive", "front", "threads"])
def test_a_generator_may_use_its_dict_again(runtime: Any) -> None:
    def count(t: int) -> Any:
        record = {}
        for k in range(t):
            record["<u>"] = k
            yield record

    net = Net.parse("box count ((<t>) -> (<u>)); net X connect count;")
    assert [each["<u>"] for each in net.run([{"<t>": 3}], {"count": count}, runtime=runtime)] == [0, 1, 2]


def test_a_source_s_value_is_told_in_a_sentence() -> None:
    for value in (10**5000, [0] * 5000, _Unspoken()):
        with pytest.raises(DataError, match=r"^tag <t> is .{1,210}: tags are integers of 32 bits\.$"):
            list(Net.parse("net X connect [];").run([{"<t>": value}]))

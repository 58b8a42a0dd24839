"""Text is read and written in an encoding that the code names, so that no locale changes a file or ends a command."""

from __future__ import annotations

import ast
from pathlib import Path

from imports import ROOT

TEXT_MODES = {"r", "w", "a", "x", "r+", "w+", "a+"}


def leaves_it_to_the_locale(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    named = {each.arg: each.value for each in call.keywords}
    if "encoding" in named:
        return False
    if name == "read_text":
        return not call.args
    if name == "write_text":
        return len(call.args) < 2
    if name in ("open", "fdopen"):
        return any(
            isinstance(each, ast.Constant) and each.value in TEXT_MODES for each in [*call.args, *named.values()]
        )
    return name in ("run", "Popen", "check_output") and bool({"text", "universal_newlines"} & named.keys())


def test_no_text_is_left_to_the_locale() -> None:
    files = [
        each for room in ("streambench", "data", "generate", "queries", "pyx") for each in (ROOT / room).rglob("*.py")
    ]
    assert len(files) > 300
    assert [f"{file.relative_to(ROOT)}:{line}" for file in files for line in _lines(file)] == []


def _lines(file: Path) -> list[int]:
    tree = ast.parse(file.read_text("utf-8"))
    return [each.lineno for each in ast.walk(tree) if isinstance(each, ast.Call) and leaves_it_to_the_locale(each)]

"""Type checkers accept the documented examples, and no public signature says Any."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = [each for each in sorted((ROOT / "docs" / "examples").rglob("*.py")) if each.name != "setup.py"]
# What the page's reader has: frames to encode, and a file for them.
BEFORE = {
    "ordered-scheduler": """
import io
import threading
from collections.abc import Iterator
from functools import partial
from streambench import OrderedScheduler

reading, file = threading.Lock(), io.BytesIO()
frames: Iterator[bytes] = iter([])


def encode(frame: bytes) -> bytes:
    return frame


"""
}
# Functions that become operators are written without types: what they are given depends on how they are run.
CONFIGURATION = "[mypy]\nignore_missing_imports = true\nallow_untyped_defs = true\n"
CONFIGURATION += "[mypy-duckdb.*,numba.*]\nfollow_imports = skip\n"  # a page is not about what theirs may return
OF_ANY_CLASS = {"OperatorChain.source", "OperatorChain.sink"}
"""A pipeline's ends are of whatever class its user has chosen, and have what that class has."""


def examples() -> dict[str, str]:
    """By the name of a module: what a page shows, or an example of the folder."""
    found = {}
    for page in PAGES:
        blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
        if blocks:
            found[f"{page.stem.replace('-', '_')}_page"] = "\n".join([BEFORE.get(page.stem, ""), *blocks])
    return found


def test_mypy_strict_accepts_the_documented_examples(tmp_path: Path) -> None:
    for name, text in examples().items():
        (tmp_path / f"{name}.py").write_text(text)
    for path in EXAMPLES:
        shutil.copy(path, tmp_path / f"{path.parent.name}_{path.name}" if path.name == "run.py" else tmp_path)
    (tmp_path / "mypy.ini").write_text(CONFIGURATION)
    environment = {name: value for name, value in os.environ.items() if name != "MYPYPATH"}
    command = [sys.executable, "-m", "mypy", "--strict", "--allow-untyped-defs", "--no-error-summary", "."]
    cache = ["--cache-dir", str(ROOT / ".mypy_cache" / "stubs")]
    done = subprocess.run(
        [*command, *cache], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert len(list(tmp_path.glob("*.py"))) > 12
    assert (done.stdout, done.stderr) == ("", "")


def public() -> list[tuple[str, str]]:
    """The library's names, each with its module."""
    tree = ast.parse((ROOT / "streambench" / "__init__.pyi").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return [(str(node.module), each.name) for node in imports for each in node.names if each.name[0] != "_"]


def signatures(module: str, name: str) -> Iterator[tuple[str, ast.expr | None]]:
    """The annotations of a function, or of a class and the classes of ours that it extends, each with its place."""
    base = ROOT.joinpath(*module.split("."))
    file = next(each for each in (base.with_suffix(".pyi"), base.with_suffix(".py")) if each.exists())
    tree = ast.parse(file.read_text())
    imported = {
        each.name: str(node.module)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("streambench")
        for each in node.names
    }
    aliases = {
        target.id: ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name != name:
            continue
        for place, annotation in annotations(node):
            text = "" if annotation is None else ast.unparse(annotation)
            for alias, value in aliases.items():
                text = re.sub(rf"\b{alias}\b", f"({value})", text)
            yield place, ast.parse(text, mode="eval").body if text else None
        for each in node.bases if isinstance(node, ast.ClassDef) else []:
            if isinstance(each, ast.Name) and each.id in imported:
                yield from signatures(imported[each.id], each.id)


def annotations(node: ast.ClassDef | ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    """Of a function all, of a class those of its public attributes and methods."""
    if isinstance(node, ast.FunctionDef):
        given = node.args
        named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        yield node.name, node.returns
        yield from ((f"{node.name}({each.arg})", each.annotation) for each in named if each and each.arg != "self")
        return
    for each in node.body:
        if isinstance(each, ast.AnnAssign):
            yield f"{node.name}.{ast.unparse(each.target)}", each.annotation
        if isinstance(each, ast.FunctionDef) and (each.name[0] != "_" or each.name.startswith("__")):
            yield from ((f"{node.name}.{place}", annotation) for place, annotation in annotations(each))


@pytest.mark.parametrize(("module", "name"), public(), ids=lambda each: each.rpartition(".")[2])
def test_no_public_signature_says_any(module: str, name: str) -> None:
    found = {
        place
        for place, annotation in signatures(module, name)
        if annotation is not None and "Any" in {each.id for each in ast.walk(annotation) if isinstance(each, ast.Name)}
    }
    assert found <= OF_ANY_CLASS

"""What imports what: the arrows between the project's modules, read from their sources, Python and Cython alike."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FLOORS: list[list[str]] = tomllib.loads((ROOT / "tests" / "rooms.toml").read_text())["floors"]
"""The rooms, from the ground up."""

PACKAGES = {
    "streambench": "streambench",
    **{each: f"streambench.{each}" for each in ("lab", "pyx", "queries", "datagen")},
}
FOLDERS = {each: ROOT / ("streambench/lab" if each == "lab" else each) for each in PACKAGES}
DOORS = {
    "streambench": "streambench.__init__",
    "streambench.datagen": "datagen.__init__",
    **dict.fromkeys(("streambench.lab", "streambench.entry", "streambench.__main__"), "lab.__init__"),
}
_CYTHON = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+c?import[ \t]+(\([^)]*\)|[^\n]*)|c?import[ \t]+([\w., \t]+))", re.MULTILINE
)


@cache
def modules() -> dict[str, list[Path]]:
    """The project's modules, each with its files: a ``.pxd`` or ``.pyi`` belongs to the ``.pyx`` beside it."""
    found: dict[str, list[Path]] = {}
    for folder, package in PACKAGES.items():
        for path in _sources(FOLDERS[folder]):
            words = path.relative_to(FOLDERS[folder]).with_suffix("").parts
            name = ".".join((package, *(words[:-1] if words[-1] == "__init__" else words)))
            found.setdefault(name, []).append(path)
    return found


@cache
def arrows() -> dict[str, frozenset[str]]:
    """What each module imports of the project, now or when it is called, or only for type checkers."""
    return {
        name: frozenset(each for path in paths for each in imported(path) if each != name)
        for name, paths in modules().items()
    }


def room(module: str) -> str:
    """The room that a module stands in, as ``rooms.toml`` calls it."""
    if module in DOORS:
        return DOORS[module]
    words = module.split(".")[1:]
    package = words.pop(0) if words[0] in PACKAGES else "streambench"
    is_folder = words and (FOLDERS[package] / words[0]).is_dir()
    return f"{package}.{words[0]}" if is_folder else package


def floor(of: str) -> int:
    """The floor that a room is on, 0 for the ground. Raises KeyError where ``rooms.toml`` does not say."""
    for name in (of, of.split(".")[0] + ".*"):
        for height, rooms in enumerate(FLOORS):
            if name in rooms:
                return height
    raise KeyError(f"{of} has no floor: write it into tests/rooms.toml")


def imported(path: Path) -> Iterator[str]:
    """The project's modules that a file imports; a name that is no module counts for the one that it comes from.

    Raises ValueError for a relative import.
    """
    pairs = _python(path.read_text()) if path.suffix in (".py", ".pyi") else _cython(path.read_text())
    for module, name in pairs:
        if module.startswith("."):
            raise ValueError(f"{path}: name the module whole, not {module}")
        if module.split(".")[0] == "streambench":
            yield f"{module}.{name}" if f"{module}.{name}" in modules() else module


def _sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink() and path.name not in ("__pycache__", "lab"):
            yield from _sources(path)
        elif path.suffix in (".py", ".pyi", ".pyx", ".pxd"):
            yield path


def _python(text: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((each.name, "") for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (("." * node.level + (node.module or ""), each.name) for each in node.names)


def _cython(text: str) -> Iterator[tuple[str, str]]:
    for module, names, plain in _CYTHON.findall(text):
        listed = re.sub(r"#[^\n]*|[()]", "", names or plain).split(",")
        words = [each.split()[0] for each in listed if each.split()]
        yield from ((module, each) if module else (each, "") for each in words)

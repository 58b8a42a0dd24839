"""Whatever a document names is there: links, sections, files, modules; and files that comments name, too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md")])
FOLDERS = "datagen|docs|notebooks|pyx|queries|results|streambench|tests"
KINDS = (".py", ".pyx", ".pxd", ".pyi", ".sql", ".pml", ".h", ".toml")
MODULES = (".py", ".pyx", ".pxd")


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def sections(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, section = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (section and section not in sections(target)):
            lost.append(link)
    assert not lost


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_and_module_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(rf"(?<![\w./-])((?:{FOLDERS})/[\w./-]*\w/?)", prose(page))
    lost = [name for name in named if not (ROOT / name).exists() and "NAME" not in name]
    lost += [name for name in re.findall(r"\b(streambench(?:\.\w+)+)", page.read_text()) if not is_module(name)]
    assert not lost


def is_module(name: str) -> bool:
    """Is there a module of this dotted name, or one in which the last parts of it may be looked up?"""
    _, *parts = name.split(".")
    base = ROOT if parts[0] in ("pyx", "queries", "datagen") else ROOT / "streambench"
    whole = base.joinpath(*parts)
    if whole.is_dir() or any(whole.with_suffix(kind).exists() for kind in MODULES):
        return True
    outer = whole.parent
    texts = [outer.with_suffix(kind) for kind in MODULES] + [outer / "__init__.py", outer / "__init__.pyi"]
    return any(text.exists() and re.search(rf"\b{parts[-1]}\b", text.read_text()) for text in texts)


TESTS = ("tests/cli", "tests/concurrency", "tests/mutants", "tests/probes", "tests/queries")
COMMENTED = ("datagen", "pyx", "queries", "streambench", *TESTS)
# not tests/unit: trees that are made up are named there


@pytest.mark.parametrize("folder", COMMENTED)
def test_every_file_that_a_comment_names_is_there(folder: str) -> None:
    read = 0
    lost: dict[str, str] = {}
    for path in sorted((ROOT / folder).rglob("*")):
        linked = any(each.is_symlink() for each in path.parents)
        if path.suffix not in KINDS or linked or not path.is_file():
            continue
        read += 1
        for name in re.findall(rf"(?<![\w./-])((?:{FOLDERS})/[\w/]+\.(?:pyx|pxd|py|pml|md))\b", path.read_text()):
            if not (ROOT / name).exists():
                lost[name] = str(path.relative_to(ROOT))
    assert read
    assert not lost

"""Every command and every target that a message, a docstring or a page names exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click
import pytest

from streambench.lab.cli import cli
from streambench.lab.record.kind_command import COMMANDS, command_of

ROOT = Path(__file__).resolve().parents[2]
PLACES = (
    *("streambench/*.py", "streambench/*/**/*.py", "pyx/**/*.py[xd]", "queries/**/*.py*", "datagen/**/*.py"),
    *("*.md", "docs/*.md", "notebooks/*.md", "notebooks/*.ipynb", "results/*.md", ".github/**/*.yml", "*.yml"),
    *("Makefile", "gate.toml", "streambench/lab/evaluation/run.sh"),
)
LINKS = ("streambench/pyx", "streambench/queries", "streambench/datagen")
NAMED = re.compile(r"(?:`|^\s*\$?\s*|&& |bin/|; )streambench (?!hears)([a-z][a-z-]*)(?: ([a-z][a-z-]*))?", re.MULTILINE)
MADE = re.compile(r"(?:`|^\s*)make ([a-z][a-z-]*)(?=[`\n ]*(?:`|$|[A-Z]+=))", re.MULTILINE)
KINDS = sorted({re.split(r"-\d+c-", path.stem)[1] for path in (ROOT / "results").glob("2*.json")} | {*COMMANDS})


def texts() -> Iterator[tuple[str, str]]:
    """Files and what they hold."""
    for path in sorted(set(chain.from_iterable(ROOT.glob(pattern) for pattern in PLACES))):
        name = str(path.relative_to(ROOT))
        if path.suffix not in (".pyc", ".so") and not name.startswith(LINKS):
            yield name, path.read_text(encoding="utf-8")


def exists(command: str, more: str) -> bool:
    """Whether there is a command, and one of a group if it is one."""
    found = cli.get_command(click.Context(cli), command)
    if not isinstance(found, click.Group):
        return found is not None
    return more in ("", *found.list_commands(click.Context(found)))


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+(?: [a-z-]+)*):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_every_command_that_is_named_exists() -> None:
    named = [(name, each) for name, text in texts() for each in NAMED.findall(text)]
    assert len(named) > 300
    assert [(name, each) for name, each in named if not exists(*each)] == []


def test_every_target_that_is_named_exists() -> None:
    known = {word for each in targets() for word in each.split()}
    named = [(name, each) for name, text in texts() for each in MADE.findall(text)]
    assert len(named) > 30
    assert [(name, each) for name, each in named if each not in known] == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_of_every_kind_of_result_exists(kind: str) -> None:
    program, command, *more = command_of(kind).split()
    if program == "make":
        assert command in {word for each in targets() for word in each.split()}
    else:
        assert exists(command, next((word for word in more if not word.startswith("-")), ""))

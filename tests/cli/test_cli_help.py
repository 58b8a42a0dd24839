"""Every command explains itself; `info` tells about the machine; the package is a command, too."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator

import click
import pytest
from hand_made import Call, start

from streambench.lab.cli import COMMANDS, cli
from streambench.version import __version__


def paths() -> Iterator[tuple[str, ...]]:
    """All commands, with the groups that they are in."""
    waiting: list[tuple[tuple[str, ...], click.Command]] = [((), cli)]
    while waiting:
        path, command = waiting.pop()
        if path:
            yield path
        if isinstance(command, click.Group):
            for name in command.list_commands(click.Context(command)):
                found = command.get_command(click.Context(command), name)
                assert found is not None
                waiting.append(((*path, name), found))


PATHS = sorted(paths())


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_command_has_help_with_an_example_and_a_word_on_every_option(call: Call, path: tuple[str, ...]) -> None:
    called = call(*path, "--help")
    assert called.code == 0
    assert called == call(*path, "-h")
    assert f"Usage: streambench {' '.join(path)}" in called.out
    assert re.search(rf"^ +streambench {' '.join(path)}\b", called.out, re.MULTILINE), "no example"
    options = called.out.split("Options:")[1]
    for line in re.findall(r"^  -.*(?:\n {4,}.*)*", options, re.MULTILINE):
        flags, *words = re.split(r"\s{2,}", line.strip())
        assert words, f"{flags} is not explained"


def test_help_lists_every_command_with_a_short_word(call: Call) -> None:
    called = call("--help")
    for name in COMMANDS:
        assert re.search(rf"^  {name} +\w", called.out, re.MULTILINE)


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_examples_in_help_name_only_options_that_there_are(call: Call, path: tuple[str, ...]) -> None:
    text = call(*path, "--help").out
    examples = re.findall(r"^ +streambench (.*)", text.split("Options:")[0], re.MULTILINE)
    assert examples
    for example in examples:
        words = example.split("|")[0].split()
        of = max((each for each in PATHS if list(each) == words[: len(each)]), key=len)
        known = (text if of == path else call(*of, "--help").out).split("Options:")[1]
        for option in (each for each in words if each.startswith("--")):
            assert re.search(rf"^  .*{option}\b", known, re.MULTILINE), f"{' '.join(of)} has no {option}"


def test_the_version_is_told(call: Call) -> None:
    assert call("--version").out.strip().endswith(__version__)


def test_a_command_that_is_not_there_is_wrong_usage(call: Call) -> None:
    called = call("runn")
    assert called.code == 2
    assert "no such command 'runn'" in called.err


def test_info_is_for_people_and_for_programs(call: Call) -> None:
    called = call("info")
    assert called.code == 0
    for word in ("cores", "caches", "governor", "memory", "load", "python"):
        assert re.search(rf"^{word}\b", called.out, re.MULTILINE), word
    told = json.loads(call("info", "--json").out)
    assert told["workers"] >= 1
    assert isinstance(told["warnings"], list)
    assert told["machine"]["cpu"]["allowed"]


def test_the_package_can_be_run_as_a_module() -> None:
    with start("--version", stdout=subprocess.PIPE) as process:
        text, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert text.strip() == f"streambench, version {__version__}"

"""Every command explains itself; `info` tells about the machine; the package is a command, too."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from hand_made import Call, start

from streambench.lab.cli import COMMANDS
from streambench.version import __version__


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_and_a_word_on_every_option(call: Call, name: str) -> None:
    called = call(name, "--help")
    assert called.code == 0
    assert called.out == call(name, "-h").out
    assert f"Usage: streambench {name}" in called.out
    assert re.search(rf"^ +streambench {name}\b", called.out, re.MULTILINE), "no example"
    options = called.out.split("Options:")[1]
    for line in re.findall(r"^  -.*(?:\n {4,}.*)*", options, re.MULTILINE):
        flags, *words = re.split(r"\s{2,}", line.strip())
        assert words, f"{flags} is not explained"


def test_help_lists_every_command_with_a_short_word(call: Call) -> None:
    called = call("--help")
    for name in COMMANDS:
        assert re.search(rf"^  {name} +\w", called.out, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_in_help_name_only_options_that_there_are(call: Call, name: str) -> None:
    text = call(name, "--help").out
    examples = re.findall(r"^ +streambench ([\w-]+) (.*)", text.split("Options:")[0], re.MULTILINE)
    assert examples
    for command, words in examples:
        known = (text if command == name else call(command, "--help").out).split("Options:")[1]
        for option in re.findall(r"(?<!\S)--[a-z0-9-]+", words.split("|")[0]):
            assert re.search(rf"^  .*{option}\b", known, re.MULTILINE), f"{command} has no {option}"


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

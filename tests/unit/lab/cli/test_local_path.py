"""An address, no name and a link to itself are refused where a path belongs, by every command; none makes a thing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from streambench.lab.cli import cli
from streambench.lab.cli.local_path import LocalPath, parquet_files

ADDRESSES = ("s3://bucket/x", "gs://bucket/x", "hdfs:///x", "abfs://box@account/x", "file:///tmp/x", "hdfs:/x")
WORDS = ("FILE", "DIR", "RESULT", "NET.snet")
"""What options and arguments that take a path show for it."""


def commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name), command


def names_a_path(param: click.Parameter) -> bool:
    return isinstance(param.type, click.Path) or any(word in (param.metavar or "") for word in WORDS)


def test_every_option_and_argument_that_names_a_path_refuses_addresses() -> None:
    named = [(words, each) for words, command in commands(cli) for each in command.params if names_a_path(each)]
    assert len({words for words, _ in named}) > 30
    assert [
        item for item in named if not isinstance(item[1].type, LocalPath) and item[1].type is not parquet_files
    ] == []


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize(
    "words",
    [
        ("data", "generate", "--out", "{}"),
        ("bench", "queries", "--results", "{}"),
        ("spark", "stream", "q4", "--data", ".", "--checkpoint", "{}"),
        ("topk", "{}", "--column", "a"),
        ("join", "a.parquet,{}", "b.parquet", "--window", "5"),
        ("report", "{}"),
        ("snet", "run", "{}"),
    ],
)
def test_an_address_is_one_sentence_and_leaves_nothing(
    words: tuple[str, ...], address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, [word.format(address) for word in words], standalone_mode=True)
    assert done.exit_code != 0
    said = done.output + str(done.exception)
    assert f"{address} is an address, not a path; give the path of the file system where it is mounted" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["./s3:/x", "a:b", "C:", "/tmp/s3://x", "-"])
def test_a_path_with_a_colon_is_a_path(path: str) -> None:
    assert LocalPath(path_type=Path).convert(path, None, None) == Path(path)


def test_a_name_that_is_no_utf8_is_refused() -> None:
    name = os.fsdecode(b"\xff.parquet")
    refused = CliRunner().invoke(cli, ["topk", name, "--column", "a"])
    assert refused.exit_code != 0
    assert r"\udcff.parquet is no name in UTF-8 in this locale; set LC_ALL=C.UTF-8" in str(refused.exception)


@pytest.mark.parametrize(
    "words", [("bench", "queries", "--results"), ("bench", "topk", "--json"), ("verify", "--data")]
)
def test_an_empty_name_is_not_the_current_folder(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(cli, [*words, ""])
    assert done.exit_code != 0
    assert "the name is empty; give a path, or . for the current folder" in done.output


@pytest.mark.parametrize("behind", ["", "/x.json"])
@pytest.mark.parametrize(
    "words", [("micro", "--json"), ("spark", "bundle", "--out"), ("run", "q1", "--out"), ("snet", "run", "-i")]
)
def test_a_link_to_itself_is_one_sentence(words: tuple[str, ...], behind: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    done = CliRunner().invoke(cli, [*words, f"{tmp_path}/loop{behind}"])
    assert isinstance(done.exception, SystemExit)
    assert "a symbolic link that leads back to itself; remove the link" in done.output


@pytest.mark.parametrize("place", ["a,b", "a,b/x.parquet"])
def test_a_name_with_a_comma_is_not_taken_for_two(place: str, tmp_path: Path) -> None:
    for name in ("a", "b", "a,b"):
        (tmp_path / name).mkdir()
    (tmp_path / "a,b" / "x.parquet").touch()
    for words in (["topk", "{}", "--column", "x"], ["join", "{}", "{}", "--window", "1"]):
        refused = CliRunner().invoke(cli, [word.format(tmp_path / place) for word in words])
        assert f"{place} has a comma in its name" in str(refused.exception)

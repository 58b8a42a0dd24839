"""The page on S-NET shows what its programs and commands do."""

from __future__ import annotations

import importlib.util
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from streambench.lab.cli import main
from streambench.snet.net import Net

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "snet.md").read_text()
FENCED = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
SHOWN = [text for _, text in FENCED if text.startswith("$ ")]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The net and the boxes of the page, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for language, text in FENCED:
        named = re.match(r"(?://|#) (\w+\.\w+)", text)
        if language and named:
            (tmp_path / named[1]).write_text(text)
    monkeypatch.delitem(sys.modules, "cutting", raising=False)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("shown", SHOWN, ids=range(len(SHOWN)))
def test_a_command_prints_what_stands_below_it(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, shown: str
) -> None:
    command, printed = shown.split("\n", 1)
    words = shlex.split(command[2:])
    if words[0] == "echo":
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(words[1].encode())))  # type: ignore[arg-type]
        monkeypatch.setattr(sys, "stdin", stdin)
        words = words[words.index("|") + 1 :]
    with pytest.raises(SystemExit) as left:
        main(words[1:])
    assert left.value.code == 0
    assert capfd.readouterr().out == printed


def test_the_program_prints_what_stands_below_it(capfd: pytest.CaptureFixture[str]) -> None:
    (program,) = (text for language, text in FENCED if language == "python" and "Net.parse" in text)
    (printed,) = (text for language, text in FENCED if language == "text")
    exec(program, {})
    assert capfd.readouterr().out == printed


def test_the_measured_table_is_that_of_the_result_that_it_names() -> None:
    spec = importlib.util.spec_from_file_location("tell_snet_bench", DOCS / "tell_snet_bench.py")
    assert spec is not None
    assert spec.loader is not None
    tell = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tell)
    (named,) = re.findall(r"^This is `(results/[\w.-]+)`", PAGE, re.MULTILINE)
    table = tell.measured_table(DOCS.parent / named)
    assert tell.replaced(PAGE, table) == PAGE, "python docs/tell_snet_bench.py RESULT"


def test_every_construct_of_the_table_is_one() -> None:
    rows = re.findall(r"^\| (`.*?`) \| .* \|$", PAGE.split("## The language\n")[1], re.MULTILINE)
    networks = [each for row in rows for each in re.findall(r"`([^`]+)`", row.replace("\\|", "|")) if "…" not in each]
    assert len(networks) > 12
    for each in networks:
        source = each if each.startswith(("box", "type")) else f"net X connect {each};"
        names = "" if each.startswith("box f") else "box f ((a) -> (b));"
        made = f"{names} net A connect []; net B connect []; net C connect f | []; {source} net Main connect C;"
        assert Net.parse(made.replace("box f ((a) -> (b));", "", 1) if each.startswith("box f") else made)

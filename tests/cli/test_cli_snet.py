"""`streambench snet`: programs checked, drawn and run, from files, standard streams and modules of boxes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from hand_made import Call

from streambench.lab.cli.snet import COMMANDS

NET = """
box double ((a, <n>) -> (a) | (a, <done>));
net X ({a, <n>} -> {a}) connect double * {<done>} .. [{<done>} -> {}];
"""
BOXES = """
def double(a, n):
    return {"a": 2 * a, "<done>": 1}
"""


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program, and the module of its boxes in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "doubling", raising=False)
    (tmp_path / "doubling.py").write_text(BOXES)
    file = tmp_path / "net.snet"
    file.write_text(NET)
    return file


def stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))  # type: ignore[arg-type]


LINES = b'\n{"a": 4, "<n>": 1, "x": 1}\n{"a": 5, "<n>": 0}\n'
MADE = [{"a": 8, "x": 1}, {"a": 10}]


def rows(text: str) -> list[dict[str, int]]:
    return [json.loads(line) for line in text.splitlines()]


def test_records_come_from_standard_input_and_go_to_standard_output(
    call: Call, net: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin(monkeypatch, LINES)
    called = call("snet", "run", net, "--boxes", "doubling")
    assert (called.code, rows(called.out), called.err) == (0, MADE, "")


def test_json_lines_may_begin_with_a_byte_order_mark(call: Call, net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b"\xef\xbb\xbf" + LINES)
    called = call("snet", "run", net, "--boxes", "doubling")
    assert (called.code, rows(called.out), called.err) == (0, MADE, "")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_or_zero_bytes_tell_the_encoding_of_xml(call: Call, net: Path, encoding: str) -> None:
    record = '<record mode="textual"><field label="a">(int)4</field><tag label="n">0</tag></record>'
    Path("in").write_text(record, encoding)
    assert call("snet", "run", net, "-i", "in", "-o", "out.jsonl", "--boxes", "doubling").code == 0
    assert rows(Path("out.jsonl").read_text()) == [{"a": 8}]
    Path("in").write_text('{"x": 1}', encoding)
    called = call("snet", "run", net, "-i", "in", "--boxes", "doubling")
    assert (called.code, called.out) == (1, "")
    assert called.error == f"streambench: in is text in {encoding.upper()}: JSON lines are UTF-8."


def test_files_are_xml_or_json_lines_by_their_suffix_or_as_the_input(call: Call, net: Path) -> None:
    Path("in.jsonl").write_bytes(LINES)
    for mode in ("textual", "binary"):
        assert (
            call("snet", "run", net, "-i", "in.jsonl", "-o", "a.xml", "--boxes", "doubling", "--mode", mode).code == 0
        )
        identity = Path("id.snet")
        identity.write_text("net X connect [];")
        assert call("snet", "run", identity, "-i", "a.xml", "-o", "b").code == 0
        assert Path("b").read_text().startswith("<?xml")
        called = call("snet", "run", identity, "-i", "b", "-o", "c.jsonl")
        assert (called.code, called.out) == (0, "")
        assert rows(Path("c.jsonl").read_text()) == MADE


def test_a_run_that_fails_leaves_no_file_and_keeps_an_old_one(call: Call, net: Path) -> None:
    Path("in.jsonl").write_bytes(LINES + b'{"b": 1}\n')
    Path("out.jsonl").write_text("old")
    called = call("snet", "run", net, "-i", "in.jsonl", "-o", "out.jsonl", "--boxes", "doubling")
    assert called.code == 1
    assert called.error == f"streambench: {net}, line 3: net X does not take a record with {{b}}."
    assert Path("out.jsonl").read_text() == "old"


def test_what_waits_in_cells_at_the_end_is_a_note(call: Call, net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net.write_text("net X connect [| {a}, {b} |];")
    stdin(monkeypatch, b'{"a": 1}\n')
    called = call("snet", "run", net)
    assert (called.code, called.out) == (0, "")
    assert called.error == "note: 1 synchro-cell waits for records that did not come; what is held there is discarded."


def test_a_trace_tells_every_step(call: Call, net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net.write_text("net X connect [{<n>} -> {<m = n>}]\n.. [];")
    stdin(monkeypatch, b'{"<n>": 7, "a": 1}\n')
    called = call("snet", "run", net, "--runtime", "naive", "--trace")
    assert called.err.splitlines() == [
        f"0: {net}, line 1: [{{<n>}} -> {{<m=n>}}] .. [] takes {{<n=7>, a}}",
        f"0: {net}, line 1: [{{<n>}} -> {{<m=n>}}] takes {{<n=7>, a}}",
        f"0: {net}, line 2: [] takes {{a, <m=7>}}",
    ]
    stdin(monkeypatch, b'{"<n>": 7, "a": 1}\n')
    called = call("snet", "run", net, "--workers", "1", "--trace")
    assert called.err.splitlines() == [
        "0: takes in {a, <n=7>}",
        f"0: {net}, line 1: [{{<n>}} -> {{<m=n>}}] takes {{a, <n=7>}}",
        f"0: {net}, line 2: [] takes {{a, <m=7>}}",
        "0: gives out {a, <m=7>}",
    ]


def test_a_check_prints_types_notes_and_the_flattened_program(call: Call, net: Path) -> None:
    net.write_text(
        "box f ((a) -> (b) | ()); box s (-> (<n>));\n"
        "net In ({a} -> {c}) { net Deep connect (s | f); } connect Deep\n.. [{d} -> {}] ; net X connect In;"
    )
    called = call("snet", "check", net)
    assert called.code == 0
    assert called.out == (
        "types\n"
        "  box s   once -> {<n>}\n"
        "  box f   {a} -> {b} | {}\n"
        "  net In  {a} -> {c}\n"
        "  net X   {a} -> {c}\n"
        "\nflattened\n"
        "box s (-> (<n>));\nbox f ((a) -> (b) | ());\n"
        "net In ({a} -> {c})\nconnect (s | f) .. [{d} -> {}];\nnet X\nconnect In;\n"
    )


def test_a_check_tells_what_can_reach_nothing(call: Call, net: Path) -> None:
    net.write_text("net X connect [{a, b} -> {b}]\n.. [{a} -> {}];")
    assert call("snet", "check", net).error == (
        f"note: {net}, line 2: what comes here for {{a, b}}, {{b}}, is not taken."
    )


def test_a_net_is_drawn_as_written_or_as_it_unfolded(call: Call, net: Path) -> None:
    net.write_text("net X connect [{<n>} -> {<n = n - 1>}] * {<n>} if <n == 0>;")
    written = call("snet", "draw", net)
    assert written.code == 0
    assert written.out.count("<rect") == 1
    Path("in.jsonl").write_text('{"<n>": 3}\n')
    called = call("snet", "draw", net, "-i", "in.jsonl", "-o", "x.svg")
    assert (called.code, called.out) == (0, "")
    assert Path("x.svg").read_text().count("<rect") == 3


@pytest.mark.parametrize(
    ("code", "words", "sentence"),
    [
        (1, ("run", "none.snet"), "No such file or directory (none.snet)"),
        (1, ("run", "net.snet", "-i", "none.xml", "--boxes", "doubling"), "No such file or directory (none.xml)"),
        (
            1,
            ("run", "net.snet", "-i", "in.jsonl"),
            "net.snet, line 2: box double needs a function: name the module of the boxes.",
        ),
        (
            2,
            ("run", "net.snet", "-i", "in.jsonl", "--boxes", "nobody"),
            "there is no module nobody: it must be on the Python path or in the current folder.",
        ),
        (
            2,
            ("run", "net.snet", "-i", "in.jsonl", "--boxes", "doubling", "--mode", "binary"),
            "--mode belongs to XML, and the output is JSON lines: leave it out.",
        ),
        (
            1,
            ("run", "net.snet", "-i", "in.jsonl", "--boxes", "doubling", "-o", "in.jsonl"),
            "--output in.jsonl is one of the files to be run: choose another place.",
        ),
        (1, ("run", "net.snet", "-i", "in.jsonl", "-o", "none/out.xml"), "--output none/out.xml has no folder"),
        (1, ("run", "net.snet", "-i", "bad.jsonl", "--boxes", "doubling"), "bad.jsonl, line 1: this is no JSON."),
        (2, ("run", "net.snet", "--workers", "0"), "--workers must be"),
        (
            2,
            ("run", "net.snet", "--runtime", "front", "--workers", "5000"),
            "--workers must be at most 1024, not 5000.",
        ),
        (
            2,
            ("run", "net.snet", "--workers", "2", "--runtime", "naive"),
            "--workers belongs to FRONT: leave it out with --runtime naive.",
        ),
        (2, ("run", "net.snet", "--credit", "0"), "--credit must be"),
        (2, ("run", "net.snet", "-i", "in.jsonl", "--credit", "9" * 20), "--credit must be a whole number from 1 to"),
        (2, ("run", "net.snet", "--credit", "9" * 5000), f"invalid value for '--credit': '{'9' * 40}[...]' is not"),
        (
            2,
            ("run", "net.snet", "--credit", "2", "--runtime", "threads"),
            "--credit belongs to FRONT: leave it out with --runtime threads.",
        ),
        (2, ("run", "net.snet", "--runtime", "fast"), "invalid value for '--runtime'"),
        (2, ("draw", "net.snet", "--boxes", "doubling"), "--boxes belongs to a run: name the records by --input."),
        (2, ("draw", "net.snet", "--runtime", "front"), "--runtime belongs to a run: name the records by --input."),
        (2, ("draw", "net.snet", "--workers", "2"), "--workers belongs to a run: name the records by --input."),
        (
            2,
            ("draw", "net.snet", "-i", "in.jsonl", "--workers", "2"),
            "--workers belongs to FRONT: leave it out with --runtime naive.",
        ),
        (1, ("draw", "bad.jsonl"), "bad.jsonl, line 1: `x` does not belong here"),
        (1, ("check", "bad.jsonl"), "bad.jsonl, line 1: `x` does not belong here"),
        (2, ("fly", "net.snet"), "no such command 'fly'"),
        (2, ("run",), "missing argument 'NET.snet'"),
    ],
)
def test_what_is_wrong_is_one_sentence(call: Call, net: Path, code: int, words: tuple[str, ...], sentence: str) -> None:
    Path("in.jsonl").write_bytes(LINES)
    Path("bad.jsonl").write_text("x\n")
    called = call("snet", *words)
    assert (called.code, called.out) == (code, "")
    assert called.error.startswith(f"streambench: {sentence}")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_subcommand_has_help_with_examples_of_its_options(call: Call, name: str) -> None:
    told, options = call("snet", name, "--help").out.split("Options:")
    assert f"  streambench snet {name} " in told
    for word in told.split():
        assert not word.startswith("--") or word.rstrip(",") in options


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--concurrency", "no"], "--concurrency must be a number, or a number and a box as 4:box, not no."),
        (["--concurrency", "0:f"], "--concurrency must be 1 to 1024, not 0."),
        (["--concurrency", "2:g"], "--concurrency names the box g, which"),
        (["--concurrency", "2", "--runtime", "threads"], "--concurrency belongs to FRONT: leave it out with --runtime"),
    ],
)
def test_calls_at_a_time_that_cannot_be_are_told(call: Call, net: Path, given: list[str], sentence: str) -> None:
    called = call("snet", "run", net, "--boxes", "doubling", *given)
    assert called.code != 0
    assert sentence in " ".join(called.err.split())


def test_a_box_may_be_called_several_times_at_a_time(call: Call, net: Path) -> None:
    Path("in.jsonl").write_bytes(LINES)
    how = ("--workers", "2", "--credit", "1", "--concurrency", "2", "--concurrency", "4:double")
    called = call("snet", "run", net, "--boxes", "doubling", "-i", "in.jsonl", *how)
    assert (called.code, rows(called.out), called.err) == (0, MADE, "")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nosuch.snet", None, "No such file or directory (nosuch.snet): name an S-NET program."),
        (".", None, "Is a directory (.): name an S-NET program."),
        ("a.snet/b", b"net X connect [];", "Not a directory (a.snet/b): name an S-NET program."),
        ("a.snet", b"\x00\xff", "a.snet, line 1: this is no UTF-8 text."),
        ("a.snet", b"net X\n\x00", "a.snet, line 2: `\\x00` does not belong here."),
        ("a.snet", b"", "a.snet, line 1: the program has no net."),
        (
            "a.snet",
            b"\xef\xbb\xbfnet X connect Y;",
            "a.snet, line 1: Y is neither a box nor a net that is declared here.",
        ),
        (
            "a.snet",
            b"net X connect [{<a>} -> {<b = a ? 1 : 2>}];",
            "a.snet, line 1: `?` does not belong here.",
        ),
    ],
)
def test_what_is_no_program_is_told_in_one_sentence(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes | None, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("a.snet").write_bytes(content)
    for command in (("check", name), ("run", name), ("draw", name, "-o", "x.svg")):
        called = call("snet", *command)
        assert (called.code, called.error, called.out) == (1, f"streambench: {said}", "")
    assert not Path("x.svg").exists()


def test_records_that_cannot_be_read_are_told_in_one_sentence(call: Call, net: Path) -> None:
    for name, said in (
        ("nosuch.xml", "No such file or directory (nosuch.xml): name the records by --input."),
        (".", "Is a directory (.): name the records by --input."),
    ):
        called = call("snet", "run", net, "--boxes", "doubling", "-i", name)
        assert (called.code, called.error, called.out) == (1, f"streambench: {said}", "")


def test_outputs_that_are_too_many_to_be_listed_are_dots(call: Call, tmp_path: Path) -> None:
    boxes = "".join(f"box f{k} ((a) -> (a) | (a, b{k}));" for k in range(24))
    file = tmp_path / "long.snet"
    file.write_text(f"{boxes} net X connect {' .. '.join(f'f{k}' for k in range(24))};")
    called = call("snet", "check", file)
    assert called.code == 0
    assert "net X    {a} -> ...\n" in called.out

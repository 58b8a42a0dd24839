"""`streambench bench perf` prints, writes, draws, goes on after Ctrl-C, and refuses in one sentence."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import made_up_perf
import pytest
from hand_made import Call, start

from streambench.lab.record import results
from streambench.lab.show.marked_block import marks
from streambench.lab.show.perf_table import MARK, markdown

BEGIN, END = marks(MARK)

pytestmark = pytest.mark.slow  # measures

SHORT = ("--run-time", "1ms", "--repeats", "1")


@pytest.fixture
def nobody_looks_at_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is refused is refused before."""
    monkeypatch.setattr("streambench.lab.cli.bench.bench_frame.begin", lambda: pytest.fail("the machine was looked at"))


def only_result(folder: Path) -> Path:
    (path,) = folder.glob("*-perf.json")
    return path


def test_a_section_is_measured_printed_written_and_drawn(call: Call, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Mine\n{BEGIN}\n{END}\n")
    folder = tmp_path / "results"
    called = call("bench", "perf", "--section", "micro", *SHORT, "--results", folder, "--markdown", page)
    assert called.code == 0, called.err
    document = results.read(only_result(folder))
    assert document["kind"] == "perf"
    wanted: dict[str, Any] = {"sections": ["micro"], "seconds": 0.001, "repeats": 1, "queries": [], "calls": 1}
    assert document["parameters"] == wanted
    assert len(document["summary"]) == 12
    for row in document["summary"]:
        assert row["what"] in called.out
    assert "of 12 targets met" in called.out
    assert page.read_text() == f"# Mine\n{BEGIN}\n{markdown(document)}{END}\n"
    drawn = only_result(folder).with_suffix("")
    assert sorted(path.name for path in drawn.iterdir()) == ["perf.csv", "perf.png", "perf.svg"]
    assert not list(folder.glob("unfinished-*"))
    assert str(tmp_path) not in only_result(folder).read_text()


def test_sections_without_targets_are_measured_and_written_though_there_is_no_figure(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = made_up_perf.document()
    made["summary"] = [each for each in made["summary"] if each["target"] is None]
    monkeypatch.setattr("streambench.lab.cli.bench.bench_frame.measure", lambda *_, **how: made)
    called = call("bench", "perf", "--section", "micro", *SHORT, "--results", tmp_path)
    assert called.code == 0, called.err
    assert "no figure: nothing of what was measured is drawn" in called.out
    assert only_result(tmp_path).exists()


def test_a_result_is_shown_again_without_measuring(call: Call, tmp_path: Path) -> None:
    written = results.write(made_up_perf.document(), tmp_path)
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n")
    called = call("bench", "perf", "--from", written, "--markdown", page)
    assert called.code == 0, called.err
    assert "2 of 3 targets met" in called.out
    assert page.read_text() == f"{BEGIN}\n{markdown(results.read(written))}{END}\n"
    assert call("figures", written, "--out", tmp_path / "drawn").code == 0
    assert (tmp_path / "drawn" / "perf.svg").exists()


def test_the_newest_result_is_looked_for_in_the_folder_of_results(call: Call, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    called = call("bench", "perf", "--from", "latest", "--results", empty)
    assert (called.code, called.error) == (
        1,
        f"streambench: there is no result file of `streambench bench perf` in {empty}: make one first",
    )
    results.write(made_up_perf.document(), tmp_path)
    called = call("bench", "perf", "--from", "latest", "--results", tmp_path)
    assert called.code == 0, called.err
    assert "2 of 3 targets met" in called.out


def test_an_interrupted_call_keeps_its_cases_and_the_next_one_goes_on(tmp_path: Path) -> None:
    words = ("bench", "perf", "--section", "micro", "--section", "idle", "--run-time", "5ms", "--repeats", "2")
    place = ("--results", str(tmp_path))
    with start(*words, *place, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 120
        while not any(b'"step": "run"' in each.read_bytes() for each in tmp_path.glob("unfinished-*")):
            assert time.monotonic() < until
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "runs are kept, the same command goes on from there" in told
    assert not list(tmp_path.glob("*-perf.json"))
    with start(*words, *place, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        _, told = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "runs kept from before" in told
    assert json.loads(only_result(tmp_path).read_text())["parameters"]["calls"] == 2


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("--section", "micros"), 2, "'micros' is not one of 'micro', 'tbb'"),
        (("--section", "memory", "--data", "/nowhere"), 1, "There is no data directory /nowhere"),
        (("--section", "memory", "--scale-factor", "0"), 2, "The scale factor must lie in 0.001 to 100000, not 0."),
        (("--section", "memory", "--scale-factor", "nan"), 2, "The scale factor must be a number, not nan."),
        (("--section", "memory", "--data", "d", "--scale-factor", "0"), 2, "leave one of them out"),
        (("--section", "micro", "--markdown", "/nowhere/x.md"), 1, "has no folder /nowhere"),
        (("--section", "micro", "--repeats", "0"), 2, "--repeats must be at least 1, not 0"),
        (("--section", "micro", "--run-time", "nan"), 2, "--run-time takes a time such as"),
        (("--section", "memory", "--queries", "q9"), 2, "there is no query 'q9'"),
        (("--section", "memory", "--queries", "q1,Q1"), 2, "query q1 is named twice: name it once."),
        *(
            (("--from", "latest", *words), 2, "--from measures nothing: leave out what says how to measure.")
            for words in (
                ("--section", "micro"),
                ("--data", "d"),
                ("--scale-factor", "0"),
                ("--queries", "q1,q2,q3,q4,q15"),
                ("--repeats", "0"),
                ("--run-time", "1s"),
                ("--quick",),
                ("--require-idle",),
                ("--restart",),
            )
        ),
        (("--from", "x.json", "--results", "r"), 2, "leave it out, as --from names x.json."),
        (("--data", "d", "--scale-factor", "1"), 2, "leave one of them out"),
        (("--from", "/nowhere.json"), 1, "the result file /nowhere.json cannot be read"),
    ],
)
@pytest.mark.usefixtures("nobody_looks_at_the_machine")
def test_what_cannot_be_measured_is_refused(call: Call, words: tuple[str, ...], code: int, sentence: str) -> None:
    called = call("bench", "perf", *words)
    assert called.code == code
    assert sentence in called.error


@pytest.mark.usefixtures("nobody_looks_at_the_machine")
@pytest.mark.parametrize(
    ("text", "sentence"), [("# Mine\n", "has no place for the tables"), (None, "there is no page")]
)
def test_a_page_without_marks_is_refused_before_anything_is_measured(
    call: Call, tmp_path: Path, text: str | None, sentence: str
) -> None:
    page = tmp_path / "page.md"
    if text is not None:
        page.write_text(text)
    called = call("bench", "perf", "--section", "idle", "--results", tmp_path / "r", "--markdown", page)
    assert called.code == 1
    assert sentence in called.error
    assert not (tmp_path / "r").exists()


def test_another_kind_of_result_is_refused(call: Call, tmp_path: Path) -> None:
    other = results.write(results.document("bench", {}, [], made_up_perf.MACHINE, []), tmp_path)
    called = call("bench", "perf", "--from", other)
    assert called.code == 1
    assert "is a result of `streambench bench queries`, not of `streambench bench perf`" in called.err


def test_a_section_that_lacks_something_is_left_out_unless_it_is_named(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from streambench.lab.measure.perf import onetbb, sections

    monkeypatch.setattr(onetbb, "there", lambda: False)
    called = call("bench", "perf", "--section", "tbb", "--results", tmp_path)
    assert called.code == 2
    assert "oneTBB is not installed: pip install tbb tbb-devel, or name other sections than tbb" in called.err
    monkeypatch.setattr(sections, "NAMES", ("tbb", "idle"))
    called = call("bench", "perf", *SHORT, "--results", tmp_path)
    assert called.code == 0, called.err
    document = results.read(only_result(tmp_path))
    assert document["parameters"]["sections"] == ["idle"]
    assert "the section tbb is left out: oneTBB is not installed: pip install tbb tbb-devel" in document["warnings"]

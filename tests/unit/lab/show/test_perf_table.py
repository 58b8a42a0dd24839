"""The report of `bench perf` shows targets, intervals and what is not met, and keeps to its place on a page."""

from __future__ import annotations

from pathlib import Path

import made_up_perf
import pytest
from rich.console import Console

from streambench.errors import StreambenchError
from streambench.lab.record import results
from streambench.lab.record.perf_summary import TIMES
from streambench.lab.record.perf_summary import rows as summary_rows
from streambench.lab.show.marked_block import marks, with_block
from streambench.lab.show.perf_table import MARK, markdown, terminal

BEGIN, END = marks(MARK)


def test_markdown_has_a_table_for_each_section_and_says_where_it_was_measured() -> None:
    text = markdown(made_up_perf.document())
    assert "| what | target | median [96.1 %] | met | note |" in text
    assert f"| fast | ≥ 1.9 {TIMES} | 2.04 [2.01, 2.07] {TIMES} | met |  |" in text
    assert f"| not fast | ≥ 1.9 {TIMES} | 0.49 [0.48, 0.50] {TIMES} | **not met** | why |" in text
    assert "| for reading |  | 2.04 [2.01, 2.07] µs |  |  |" in text
    assert "| little | ≤ 4 MiB | 1.04 [1.01, 1.07] MiB | met |  |" in text
    assert text.count("### Of ") == 2
    for part in ("on 2030-01-02", "Example 9000, 2 cores", "0.0.1 (abc), data sf1", "0.3 s, 9 repeats", "60 to 350 ns"):
        assert part in text
    assert "2 of 3 targets met" in text


def test_beside_a_target_that_another_processor_may_miss_it_says_so() -> None:
    how = {"how": "median", "of": "fast", "target": 3.0}
    rows = [{"what": "speed", **how, "of_processor": True}, {"what": "ratio", **how, "of_processor": False}]
    made = [made_up_perf.case({"fast": [4.0] * 9}, rows)]
    text = markdown({**made_up_perf.document(), "summary": summary_rows(made)})
    assert f"| speed | ≥ 3 {TIMES}, goes by the processor |" in text
    assert f"| ratio | ≥ 3 {TIMES} |" in text


def test_the_same_document_gives_the_same_text_when_it_is_read_again(tmp_path: Path) -> None:
    made = made_up_perf.document()
    assert markdown(results.read(results.write(made, tmp_path))) == markdown(made)


def test_the_terminal_shows_every_row() -> None:
    console = Console(width=160)
    with console.capture() as shown:
        console.print(terminal(made_up_perf.document(repeats=5)["summary"]))
    text = shown.get()
    for part in ("Of micro", "fast", f"≥ 1.9 {TIMES}", "not met", "for reading", "Of memory", "(min to max of 5)"):
        assert part in text


def test_only_what_is_between_the_marks_changes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{BEGIN}\nold\n{END}\nafter\n")
    page.write_text(with_block(page, MARK, "new\nlines\n"))
    assert page.read_text() == f"before\n\n{BEGIN}\nnew\nlines\n{END}\nafter\n"


@pytest.mark.parametrize("text", ["", f"{BEGIN}\n", f"{END}\n{BEGIN}\n", f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n"])
def test_a_page_without_a_place_is_refused(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(StreambenchError, match="has no place for the tables: it needs the lines"):
        with_block(page, MARK, "new\n")


def test_a_page_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StreambenchError, match="there is no page"):
        with_block(tmp_path / "none.md", MARK, "new\n")

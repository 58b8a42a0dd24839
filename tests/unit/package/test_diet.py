"""What is committed stays small: few results, each of use to a page, and nothing that can be drawn again."""

from __future__ import annotations

import re

from committed import ROOT, committed, committed_results

MB = 1_000_000
MOST_RESULTS, MOST_RESULT_BYTES = 40, 10 * MB
MOST_BYTES = 20 * MB
PICTURES = {"docs/report.png", "docs/rooms.svg", "docs/scaling.svg"}
DERIVED = re.compile(r".*\.(png|svg|pdf|csv|html)")


def test_committed_results_are_few_and_small() -> None:
    found = committed_results()
    assert 0 < len(found) <= MOST_RESULTS
    assert sum(each.stat().st_size for each in found) <= MOST_RESULT_BYTES


def test_the_checked_out_tree_is_small() -> None:
    assert sum(each.stat().st_size for each in committed()) < MOST_BYTES


def test_results_hold_result_files_and_their_layout_only() -> None:
    assert {each.suffix for each in committed("results")} == {".json", ".md"}
    assert {each.parent.name for each in committed("results")} == {"results"}


def test_no_picture_or_table_is_committed_that_can_be_drawn_again() -> None:
    found = {each.relative_to(ROOT).as_posix() for each in committed()}
    assert {name for name in found if DERIVED.fullmatch(name) and name.startswith(("docs/", "results/"))} == PICTURES


def test_each_committed_result_is_named_by_a_page_or_a_notebook() -> None:
    texts = "".join(each.read_text() for each in committed("*.md", "notebooks/*.ipynb"))
    assert [each.name for each in committed_results() if each.stem not in texts] == []


def test_each_result_that_a_page_names_is_committed() -> None:
    there = {each.stem for each in committed_results()}
    named = re.compile(r"\d{8}T\d{6}Z-[\w-]+")
    texts = {each: each.read_text() for each in committed("*.md", "*.ipynb")}
    gone = {(page.name, name) for page, text in texts.items() for name in named.findall(text)}
    examples = {"20260101T120000Z-amd-epyc-2c-bench"}
    assert {each for each in gone if each[1] not in there | examples} == set()

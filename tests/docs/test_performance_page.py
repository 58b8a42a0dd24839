"""What the pages say was measured is what the newest committed result of most sections of `bench perf` says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from committed import committed_results

from streambench.lab.record import results
from streambench.lab.record.perf_summary import verdict
from streambench.lab.show.marked_block import with_block
from streambench.lab.show.perf_table import MARK, markdown

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"
README = ROOT / "README.md"
VERDICT = re.compile(r"\d+ of \d+ targets met")


@pytest.fixture(scope="module")
def committed() -> dict[str, Any] | None:
    """The newest committed result that has what the page's tables begin with, or None."""
    newest_first = map(results.read, reversed(committed_results("*-perf*.json")))
    return next((each for each in newest_first if {"micro", "queries"} <= {*each["parameters"]["sections"]}), None)


def test_the_tables_of_the_page_are_those_of_the_newest_result(committed: dict[str, Any] | None) -> None:
    assert committed is not None, "the page has tables of a result that is not committed: git add -f results/..."
    wanted = with_block(PAGE, MARK, markdown(committed))
    assert PAGE.read_text() == wanted, "write them: streambench bench perf --from latest --markdown docs/performance.md"


def test_what_the_readme_says_of_targets_is_the_newest_results_verdict(committed: dict[str, Any] | None) -> None:
    said = set(VERDICT.findall(" ".join(README.read_text().split())))
    assert committed is not None, "the README tells of a result that is not committed"
    assert said == {verdict(committed["summary"])}

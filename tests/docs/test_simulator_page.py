"""What the page says of the paper's statements is what the newest committed simulation at the paper's costs says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from streambench.claims.statements import judge_statements
from streambench.claims.statements_table import MARK, page
from streambench.record import results
from streambench.show.marked_block import with_block

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "simulator.md"


def test_the_table_of_statements_is_that_of_the_newest_result() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: it has no results")
    words = ["git", "-C", str(ROOT), "ls-files", "results/*-simulation*.json"]
    found = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    newest_first = (results.read(ROOT / name) for name in sorted(found, reverse=True))
    committed = next((each for each in newest_first if each["parameters"]["costs"] == "paper"), None)
    assert committed is not None, "the page has a table of a result that is not committed: git add -f results/..."
    wanted = with_block(PAGE, MARK, page(committed, judge_statements(committed)))
    assert PAGE.read_text() == wanted, "write it: streambench statements --page docs/simulator.md"

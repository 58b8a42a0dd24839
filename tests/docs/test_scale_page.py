"""What the page says of many cores is what the newest committed result says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from streambench.record import results
from streambench.show.limits_table import MARK, page
from streambench.show.marked_block import with_block

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scale.md"


def test_the_table_of_limits_is_that_of_the_newest_result() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: it has no results")
    words = ["git", "-C", str(ROOT), "ls-files", "results/*-simulate-limits.json"]
    found = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert found, "the page has a table of a result that is not committed: git add -f results/..."
    newest = max(found)
    assert newest in PAGE.read_text()
    wanted = with_block(PAGE, MARK, page(results.read(ROOT / newest)))
    assert PAGE.read_text() == wanted, "write it: streambench simulate-limits --from latest --page docs/scale.md"

"""What the page says of many cores is what the newest committed result says."""

from __future__ import annotations

from pathlib import Path

from committed import committed_results

from streambench.lab.record import results
from streambench.lab.show.limits_table import MARK, page
from streambench.lab.show.marked_block import with_block

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scale.md"


def test_the_table_of_limits_is_that_of_the_newest_result() -> None:
    found = committed_results("*-simulate-limits.json")
    assert found, "the page has a table of a result that is not committed: git add -f results/..."
    assert f"results/{found[-1].name}" in PAGE.read_text()
    wanted = with_block(PAGE, MARK, page(results.read(found[-1])))
    assert PAGE.read_text() == wanted, "write it: streambench simulate limits --from latest --page docs/scale.md"

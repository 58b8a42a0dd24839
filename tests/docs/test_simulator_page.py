"""What the page says of the paper's statements is what the newest committed simulation at the paper's costs says; what
it says of the simulator's error, the newest committed comparison."""

from __future__ import annotations

from pathlib import Path

from committed import committed_results

from streambench.lab.claims.statements import judge_statements
from streambench.lab.claims.statements_table import MARK, page
from streambench.lab.record import results
from streambench.lab.record.statistics import FEWEST_REPEATS
from streambench.lab.show.marked_block import with_block
from streambench.lab.show.validation_table import markdown

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "simulator.md"


def test_the_table_of_the_simulator_s_error_is_that_of_the_newest_result() -> None:
    *_, newest = committed_results("*-validate*.json")
    wanted = with_block(PAGE, "validate", markdown(results.read(newest), newest.name))
    assert PAGE.read_text() == wanted, (
        "write it: streambench simulate validate --from latest --markdown docs/simulator.md"
    )


def test_the_table_of_statements_is_that_of_the_newest_result() -> None:
    newest_first = map(results.read, reversed(committed_results("*-simulation*.json")))
    told = (each for each in newest_first if each["parameters"]["repeats"] >= FEWEST_REPEATS)
    committed = next((each for each in told if each["parameters"]["costs"] == "paper"), None)
    assert committed is not None, "the page has a table of a result that is not committed: git add -f results/..."
    wanted = with_block(PAGE, MARK, page(committed, judge_statements(committed)))
    assert PAGE.read_text() == wanted, "write it: streambench simulate statements --page docs/simulator.md"

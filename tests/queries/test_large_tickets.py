"""A ticket of hundreds of thousands of pairs: every engine counts them as SQL does, whatever else is in its unit."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
import small_data
from small_data import Click, Sale

from streambench.lab.check.grid import Grid
from streambench.lab.check.verify import verify
from streambench.lab.cli import main
from streambench.lab.data.catalog import Catalog

ITEMS = 600  # 179,700 pairs: three of the largest pieces
FAR = 2**31 - 2


def lines(ticket: int, items: list[int], date: int, time: int) -> list[Sale]:
    return [Sale(date, time, ticket, item, 1, Decimal("1.00")) for item in items]


@pytest.mark.parametrize("where", ["first", "in the middle", "last"])
def test_one_ticket_of_hundreds_of_items_is_counted_as_by_sql(tmp_path: Path, where: str) -> None:
    large = lines(50, [*range(1, ITEMS), FAR], 37_200, 3_600)
    before = [each for k in range(50) for each in lines(k, [1, 2, 3 + k], 37_200, 3_500 + 2 * k)]
    # The same hour and pairs again, an item twice, and one that is ended by the hour.
    after = [each for k in range(51, 90) for each in lines(k, [1, 2, 2, k], 37_200, 7_199 + (k > 70))]
    sales = {"first": large + after, "in the middle": before + large + after, "last": before + large}[where]
    categories: dict[int, int | None] = {item: 1 + item % 5 for item in {each.item for each in sales}}
    small_data.write(tmp_path / "data", sales, [], categories, {})
    grid = Grid(workers=(1, 2, 3, 4), units=(64, 1024), partitions=(1, 5), covering=True)
    report = verify(Catalog.open(tmp_path / "data"), ["q1"], ["paper"], grid)
    assert [each.mismatches for each in report.verdicts] == [[]]
    assert report.ok


def test_a_session_of_too_many_items_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its pieces would fit, but there are over a thousand million pairs to be counted."""
    items = range(1, 46_342)
    clicks = [Click(37_200, item, 1, None, item, 1) for item in items]
    small_data.write(tmp_path / "data", [], clicks, dict.fromkeys(items, 1), {1: "dynamic"})
    with pytest.raises(SystemExit) as stopped:
        main(["run", "q2", "--data", str(tmp_path / "data"), "--preload"])
    assert stopped.value.code == 1
    assert "a session of more than 46,340 items has too many pairs" in capsys.readouterr().err

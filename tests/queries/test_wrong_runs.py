"""What SQL notices although the serial engine has the same fault: rows wrong in passing, laps that lose something."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_data

import streambench
import streambench.lab
from streambench.execution.options import Options
from streambench.lab.check.grid import Grid
from streambench.lab.check.verify import verify
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.checked_run import checked_run, one_lap
from streambench.lab.workloads import workload
from streambench.lab.workloads.workload import Workload
from streambench.pyx.table_sink import TableSink, digest_rows
from streambench.pyx.table_source import TableSource

pytestmark = pytest.mark.slow  # many runs

ONE_RUN = Grid(engines=("serial",), units=(5,))
Rows = list[Any]


def page_more(rows: Rows) -> None:
    """Q4: one page too many after the third session, right again after the fourth and at the end."""
    rows[0][2] += 1


def late(rows: Rows) -> None:
    """A count that comes a row too late; the sums are as they were."""
    counts = rows[-1]
    place = int(np.argmax(counts[1:] != counts[:-1]))
    counts[place], counts[place + 1] = counts[place + 1], counts[place]


def steeper(rows: Rows) -> None:
    """Q15: one slope, in passing, a millionth steeper."""
    rows[2].view(np.float64)[1] *= 1 + 1e-6


def one_less(rows: Rows) -> None:
    """The last row but one is not there."""
    rows[:] = [np.delete(column, -2) for column in rows]


WRONG = [("q4", page_more), ("q3", late), ("q3", one_less), ("q15", steeper), ("q1", late), ("q2", one_less)]


@pytest.fixture
def perturbed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Rows], None]], None]:
    """Make every sink, of whatever engine, receive rows that an operator before it got wrong."""

    def by(change: Callable[[Rows], None]) -> None:
        class Wrong(TableSink):  # type: ignore[misc]
            def __init__(self, keep: bool) -> None:
                super().__init__(True)

            def rows(self) -> Rows:
                found = [np.array(column) for column in super().rows()]
                change(found)
                return found

            @property
            def digest(self) -> str:
                return str(digest_rows(self.rows()))

        monkeypatch.setattr("streambench.lab.workloads.workload.TableSink", Wrong)

    return by


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return small_data.make(tmp_path / "d", 5, tickets=80, users=10, clicks_per_user=30).path


@pytest.mark.parametrize("laps", [1, 3])
@pytest.mark.parametrize(("query", "change"), WRONG, ids=lambda word: getattr(word, "__name__", word))
def test_rows_that_are_wrong_in_passing_are_noticed_though_serial_has_them_too(
    data: Path, perturbed: Callable[..., None], query: str, change: Callable[[Rows], None], laps: int
) -> None:
    assert streambench.lab.run(query, data, laps=laps, preload=True, workers=2).sequence_ok
    perturbed(change)
    result = streambench.lab.run(query, data, laps=laps, preload=True, workers=2)
    assert result.sequence_ok is False
    assert "SQL" in str(result.problem)
    if query in ("q3", "q4", "q15"):
        assert result.answer_ok is True  # what is left in the end is right
        assert "Row " in str(result.problem) or "rows where SQL gives" in str(result.problem)


@pytest.mark.parametrize(("query", "change"), WRONG[:4], ids=lambda word: getattr(word, "__name__", word))
def test_verify_and_bench_notice_them(
    data: Path, perturbed: Callable[..., None], query: str, change: Callable[[Rows], None]
) -> None:
    assert verify(Catalog.open(data), [query], ["paper"], ONE_RUN).ok
    perturbed(change)
    report = verify(Catalog.open(data), [query], ["paper"], ONE_RUN)
    assert not report.ok
    assert {mismatch.what for mismatch in report.verdicts[0].mismatches} == {"sequence"}
    assert one_lap(Workload(query, Catalog.open(data)), Options(workers=2))[1] is False


class Losing(TableSource):  # type: ignore[misc]
    """A source whose renumbering is wrong: from lap 5 on an order number reads as null, as if it had wrapped."""

    def __init__(self, columns: Any, names: Any, lap_shift: Any, laps: int, time: str | None = None) -> None:
        self.one_lap = len(columns[0])
        longer = [
            np.concatenate([np.where(column < 0, column, column + lap * shift) for lap in range(laps)])
            for column, shift in zip(columns, lap_shift, strict=True)
        ]
        orders = longer[names.index("wcs_sales_sk")]
        orders[4 * self.one_lap :] = -1
        super().__init__(longer, names, time=time)

    def lap(self) -> int:
        return self.one_lap


# No unit may lie in two laps, and this source knows nothing of its laps.
UNITS_OF_ONE = (Options(engine="serial", unit=1), Options(workers=2, unit=1))


@pytest.fixture
def losing(data: Path, monkeypatch: pytest.MonkeyPatch) -> Workload:
    monkeypatch.setattr("streambench.lab.workloads.workload.TableSource", Losing)
    return Workload("q3", Catalog.open(data))


@pytest.mark.parametrize("sql_tuples", [0, 1 << 21], ids=["counted", "answered by SQL"])
@pytest.mark.parametrize("options", UNITS_OF_ONE, ids=["serial", "ordered"])
def test_purchases_lost_from_lap_5_on_are_noticed_though_serial_loses_them_too(
    losing: Workload, options: Options, sql_tuples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workload, "SQL_TUPLES", sql_tuples)
    for laps, right in ((4, True), (8, False)):
        asked = Options.of(options, laps=laps, preload=True)
        measured, pipeline = losing.run(asked, keep=False)
        assert pipeline.sink.digest == losing.serial_digest(laps)
        sequence_ok, _, problem = losing.check(asked, measured, pipeline)
        assert sequence_ok is right
        assert right or str(problem).startswith("Lap 5 of 8 gave TableSink 0 tuples where SQL says TableSink ")


def test_a_measured_run_that_loses_purchases_has_no_number(losing: Workload) -> None:
    options = Options(workers=2, unit=1, laps=8, preload=True)
    run = checked_run(losing, options, 0, losing.serial_digest(8), True)
    assert run["sequence_ok"] is False
    assert run["lap_problem"].startswith("Lap 5 of 8 gave TableSink 0 tuples")
    assert run["lap_counts"]["by_lap"][-1]["laps"] == 4

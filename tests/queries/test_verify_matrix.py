"""The queries over the whole matrix of heuristics, reordering and partitioning schemes, on small random data."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import small_data

from streambench.lab.check.grid import Grid
from streambench.lab.check.verify import verify
from streambench.lab.data.catalog import Catalog
from streambench.pyx.schemes import schemes_engine as ordered

pytestmark = pytest.mark.slow  # hundreds of runs


@pytest.fixture(scope="module", params=[0, 1], ids=["few items", "many items"])
def data(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return Catalog.open(small_data.make(tmp_path_factory.mktemp("small") / "data", seed=request.param).path)


@pytest.mark.parametrize("parameter_set", ["paper", "kit"])
@pytest.mark.parametrize("query", ["q1", "q2", "q3", "q4", "q15", "ysb"])
def test_theorem_5_2_every_pair_of_options_gives_one_sequence_and_the_answer(
    data: Catalog, query: str, parameter_set: str
) -> None:
    grid = Grid(covering=True)
    report = verify(data, [query], [parameter_set], grid)
    (verdict,) = report.verdicts
    assert verdict.mismatches == []
    assert verdict.runs == len(grid.combinations())
    assert report.ok


def test_a_scheme_that_breaks_the_order_is_found(
    data: Catalog, probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ordered.PARTITIONINGS, "shared", probes.NewestFirst)
    grid = Grid(workers=(1, 4), units=(1,), partitions=(1,), covering=True)
    (verdict,) = verify(data, ["q3"], ["paper"], grid).verdicts
    assert verdict.mismatches
    assert all("--partitioning shared" in mismatch.command for mismatch in verdict.mismatches)
    assert {mismatch.what for mismatch in verdict.mismatches} == {"operator"}

"""The same seed gives the same rows in the same order, whatever computes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from streambench.datagen import generate
from streambench.datagen.spark import session

Make = Callable[..., dict[str, str]]
ALL = {"item", "web_page", "date_dim", "ads", "store_sales", "web_clickstreams", "ad_events"}


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Generates with some options and returns each table's content hash."""

    def run(*, master: str = "local[2]", partitions: int = 1, **options: object) -> dict[str, str]:
        out = tmp_path_factory.mktemp("made") / "data"
        manifest = generate(
            out, master=master, partitions=partitions, **{"scale_factor": 0.002, "days": 3, "seed": 11, **options}
        )
        for name in ("store_sales", "web_clickstreams", "ad_events"):
            assert len(list((out / name).glob("*.parquet"))) == partitions
        return {name: entry["sha256"] for name, entry in manifest["tables"].items()}

    return run


@pytest.fixture(scope="module")
def reference(make: Make) -> dict[str, str]:
    return make(master="local[1]")


def test_all_tables_are_hashed(reference: dict[str, str]) -> None:
    assert set(reference) == ALL


def test_cores_and_partitions_do_not_matter(make: Make, reference: dict[str, str]) -> None:
    session("local[2]")  # stays for the modules to come
    for partitions in (2, 5):
        assert make(partitions=partitions) == reference


def test_other_seeds_profiles_and_spans_give_other_streams(make: Make, reference: dict[str, str]) -> None:
    session("local[2]")
    other_seed = make(seed=12)
    other_profile = make(profile="pdgf")
    other_tickets = make(profile="heavy")
    other_items = make(profile="even")
    other_span = make(days=4)
    assert {name for name in ALL if other_seed[name] == reference[name]} == {"date_dim", "ads"}
    assert {name for name in ALL if other_profile[name] != reference[name]} == {"web_clickstreams"}
    assert {name for name in ALL if other_tickets[name] != reference[name]} == {"store_sales"}
    assert {name for name in ALL if other_items[name] != reference[name]} == {"item"}
    assert make(profile="heavy", partitions=3) == other_tickets
    assert {name for name in ALL if other_span[name] != reference[name]} == {"store_sales", "web_clickstreams"}


def test_files_in_name_order_hold_the_stream(tmp_path: Path) -> None:
    out = tmp_path / "data"
    manifest = generate(out, scale_factor=0.001, days=2, master="local[2]", partitions=4)
    files = sorted((out / "store_sales").glob("*.parquet"))
    assert [f"store_sales/{file.name}" for file in files] == manifest["tables"]["store_sales"]["files"]
    tickets = [ticket for file in files for ticket in pq.read_table(file)["ss_ticket_number"].to_pylist()]
    assert tickets == sorted(tickets)
    assert sorted(path.name for path in out.iterdir()) == sorted([*ALL, "manifest.json"])

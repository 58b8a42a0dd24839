"""Small data directories, and the command line called as a user does."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hand_made import NAMES, Call, Called, write_clicks, write_dimensions, write_events, write_sales

from streambench.lab.cli import main


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    """Call the command line in this process."""

    def run(*words: object) -> Called:
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        printed = capfd.readouterr()
        assert "Traceback" not in printed.err
        code = left.value.code
        return Called(code if isinstance(code, int) else 0, printed.out, printed.err)

    return run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """All tables, made by hand: no manifest, no dictionaries."""
    directory = tmp_path / "data"
    write_sales(directory)
    write_clicks(directory)
    write_events(directory)
    write_dimensions(directory)
    return directory


@pytest.fixture
def named(data: Path) -> Path:
    """The same with what ingest adds: a manifest and dictionaries of items and categories."""
    folder = data / "dictionaries"
    folder.mkdir()
    for key, names in (("item", NAMES), ("category", ["Drinks", "Food"])):
        columns = {"code": pa.array(range(len(names)), pa.int64()), "name": pa.array(names, pa.string())}
        pq.write_table(pa.table(columns), folder / f"{key}.parquet")
    dictionaries = {
        "ss_item_sk": "dictionaries/item.parquet",
        "wcs_item_sk": "dictionaries/item.parquet",
        "i_category_id": "dictionaries/category.parquet",
    }
    manifest = {"schema": 1, "kind": "ingest", "tables": {}, "dictionaries": dictionaries}
    (data / "manifest.json").write_text(json.dumps(manifest))
    return data


@pytest.fixture(autouse=True)
def attempts_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else the machine does, no command has a note on what cores take to share: standard error is compared."""
    monkeypatch.setattr("streambench.lab.simulate.times.WILD", float("inf"))

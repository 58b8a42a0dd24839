"""Generated data are made once, and again where an earlier version made fewer tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from streambench import datagen
from streambench.datagen.tables import TABLES
from streambench.lab.data.generated import generated


def test_data_that_lack_a_table_are_generated_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[bool] = []

    def generate(path: Path, *, overwrite: bool, **options: Any) -> None:
        calls.append(overwrite)
        for name in TABLES:
            (path / name).mkdir(parents=True, exist_ok=True)
        (path / "manifest.json").touch()

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datagen, "generate", generate)
    path = generated(0.5)
    assert (generated(0.5), calls) == (path, [False])
    (path / "ad_events").rmdir()
    assert (generated(0.5), calls) == (path, [False, True])

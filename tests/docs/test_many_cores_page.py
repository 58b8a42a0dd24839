"""The page on many cores has the tables that its script writes from the committed results."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "many-cores.md").read_text("utf-8")
TABLE = re.compile(r"<!-- ([\w -]+) by docs/tell_many_cores\.py -->\n(.*?)\n<!-- until here -->", re.DOTALL)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tell_many_cores", DOCS / "tell_many_cores.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tables(script: ModuleType) -> dict[str, str]:
    return dict(script.tables())


def test_the_tables_of_the_page_are_those_of_the_results(tables: dict[str, str]) -> None:
    assert dict(TABLE.findall(PAGE)) == tables, "python docs/tell_many_cores.py"


def test_a_changed_digit_in_any_table_is_written_anew(script: ModuleType, tables: dict[str, str]) -> None:
    for name, table in tables.items():
        changed = re.sub(r"\d(?=\D*\Z)", lambda digit: str(9 - int(digit[0])), table)
        page = PAGE.replace(table, changed)
        assert dict(TABLE.findall(page))[name] == changed != table
        assert script.replaced(page, tables) == PAGE


def test_all_rows_of_a_table_have_as_many_cells(tables: dict[str, str]) -> None:
    for table in tables.values():
        lines = table.splitlines()
        assert len(lines) > 2
        assert len({line.count("|") for line in lines}) == 1


def test_a_page_without_a_place_for_a_table_is_refused(script: ModuleType) -> None:
    with pytest.raises(ValueError, match="one table between"):
        script.replaced("no place", {"queries": "| |"})

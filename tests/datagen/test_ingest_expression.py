"""A computed column is what exact arithmetic says, rounded once; what is no expression is refused, never evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ingested import rows

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest import ColumnMapping, ingest
from streambench.datagen.ingest.expression import parsed
from streambench.datagen.ingest.numbers import exact, in_kind

cents = in_kind("decimal(7,2)")


def value(text: str, **columns: str | None) -> object:
    """An expression in cents, for one row."""
    expression = parsed(text)
    (found,) = expression.values([[columns[name]] for name in expression.columns])
    return None if found is None else cents(found)


@pytest.mark.parametrize(
    ("text", "columns", "wanted"),
    [
        ("a*b", {"a": "3", "b": "1.115"}, "3.35"),  # half a cent, up: 3.345
        ("a*b", {"a": "-3", "b": "1.115"}, "-3.35"),  # away from zero
        ("a*b", {"a": "1.005", "b": "1"}, "1.01"),  # 1.00 in binary floating point
        ("a+b", {"a": "0.1", "b": "0.2"}, "0.30"),
        ("a/b", {"a": "1", "b": "3"}, "0.33"),
        ("a/b*3", {"a": "0.01", "b": "6"}, "0.01"),  # half a cent exactly, not 0.00499…
        ("a - b - 1", {"a": "5", "b": "1"}, "3.00"),
        ("a - (b - 1)", {"a": "5", "b": "1"}, "5.00"),
        ("-a * 2 + +b", {"a": "1", "b": "5"}, "3.00"),
        ("a * 1.19", {"a": "1e2"}, "119.00"),
        ("2 * (a + .5) / 1.", {"a": " 1 "}, "3.00"),
        ("class + a_1", {"class": "1", "a_1": "2"}, "3.00"),  # words of Python are names like any other
        ("größe*1", {"größe": "1"}, "1.00"),
        ("a/b", {"a": "1", "b": "0"}, None),
        ("a/b", {"a": "0", "b": "0.00"}, None),
        ("a/b/b", {"a": "1", "b": "0"}, None),
        ("a*b", {"a": None, "b": "1"}, None),
        ("a*b", {"a": "one", "b": "1"}, None),
        ("a*b", {"a": "nan", "b": "1"}, None),
        ("a*1", {"a": "1_000"}, None),
        ("a*1", {"a": "1e999999999"}, None),
        ("a*1", {"a": "99999.994"}, "99999.99"),
        ("a*1", {"a": "99999.995"}, None),  # no decimal(7,2) after rounding
    ],
)
def test_an_expression_has_its_exact_value(text: str, columns: dict[str, str | None], wanted: str | None) -> None:
    found = value(text, **columns)
    assert found == (None if wanted is None else Decimal(wanted))


def test_a_name_with_blanks_or_signs_stands_in_double_quotes() -> None:
    expression = parsed('"Unit Price"*"a""b-c"')
    assert expression.columns == ("Unit Price", 'a"b-c')
    assert expression.values([["2"], ["3"]]) == [6]


AMOUNTS = st.decimals(-1000, 1000, places=4).map(str)


@given(st.lists(AMOUNTS, min_size=3, max_size=3), st.lists(st.sampled_from("+-*/"), min_size=3, max_size=3))
def test_expressions_agree_with_fractions(operands: Sequence[str], signs: Sequence[str]) -> None:
    names = dict(zip("abc", operands, strict=True))
    text = f"(a{signs[0]}b){signs[1]}(c{signs[2]}7)"
    try:
        wanted = eval(text, {name: Fraction(amount) for name, amount in names.items()} | {"__builtins__": {}})
    except ZeroDivisionError:
        assert value(text, **names) is None
        return
    hundredths = abs(wanted) * 100
    rounded = int(hundredths) + (hundredths - int(hundredths) >= Fraction(1, 2))
    fits = rounded < 10_000_000
    assert value(text, **names) == (Decimal(rounded).scaleb(-2) * (1 if wanted >= 0 else -1) if fits else None)


@pytest.mark.parametrize(
    "text",
    [
        "a*",
        "*a",
        "a b",
        "(a",
        "a)",
        "a**2",
        "a//b",
        "a%b",
        "1+2",
        "a.b*1",
        "f(a)",
        "a(b)",
        "__import__('os')*a",
        "a if a else b",
        "a<b",
        "a*1e5",
        "a*0x10",
        "a;b",
        "",
        "()",
        '"a',
        "(" * 300 + "a" + ")" * 300,
        "a+" * 400 + "a",
    ],
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(DatagenError) as refused:
        parsed(text)
    assert len(str(refused.value).splitlines()) == 1


def test_a_great_exponent_is_no_number() -> None:
    assert exact("1e60") == Decimal("1e60")
    assert [exact(text) for text in ("1e61", "1e-61", "1" * 61, "inf", "", " ", "٣")] == [None] * 7


HEADER = "when,ticket,item,n,unit price,n*2\n"
LINE = "2020-01-01 00:00:0{0},{0},{0},{0},1.115,100\n"
COLUMNS = {"ts": "when", "ticket": "ticket", "item": "item"}


def ingested(folder: Path, lines: str, **columns: str) -> list[dict[str, object]]:
    (folder / "sales.csv").write_text(HEADER + lines)
    mapping = ColumnMapping(table="store_sales", columns={**COLUMNS, **columns})
    ingest(folder / "sales.csv", mapping, out=folder / "out")
    return rows(folder / "out", "store_sales")


def test_money_quantities_and_keys_may_be_computed(tmp_path: Path) -> None:
    found = ingested(
        tmp_path,
        LINE.format(1) + LINE.format(3),
        net_paid='n*"unit price"',
        quantity="n*4/2",
        store="n - 1",
        ss_list_price="n*2",  # a column of that very name comes first
        ss_coupon_amt="n * 2",
    )
    assert [str(row["ss_net_paid"]) for row in found] == ["1.12", "3.35"]
    assert [row["ss_quantity"] for row in found] == [2, 6]
    assert [row["ss_store_sk"] for row in found] == [0, 2]
    assert [str(row["ss_list_price"]) for row in found] == ["100.00", "100.00"]
    assert [str(row["ss_coupon_amt"]) for row in found] == ["2.00", "6.00"]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"net_paid": "n*prize"}, "no column 'prize' (for ss_net_paid=n*prize): its columns are"),
        ({"net_paid": "n*Ticker"}, "did you mean 'ticket'?"),
        ({"net_paid": "n*"}, "'n*' is no expression of + - * / and parentheses over columns and numbers"),
        ({"net_paid": "unit-price"}, "no column 'unit'"),
        ({"net_paid": "n/(ticket-1)"}, "line 2 of sales.csv: ss_net_paid (decimal(7,2)) cannot be made of it (n = '1'"),
        ({"quantity": "n/2"}, "line 2 of sales.csv: ss_quantity (int) cannot be made of it"),
        ({"store": "n-2"}, "line 2 of sales.csv: ss_store_sk must not be negative (n = '1')"),
        ({"store": "n/2"}, "line 2 of sales.csv: ss_store_sk cannot be made of it, it is no whole number"),
    ],
)
def test_a_computed_column_that_does_not_fit_is_told(tmp_path: Path, columns: dict[str, str], words: str) -> None:
    with pytest.raises(DatagenError) as refused:
        ingested(tmp_path, LINE.format(1) + LINE.format(2), **columns)
    assert words in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_texts_are_not_computed(tmp_path: Path) -> None:
    (tmp_path / "menu.csv").write_text("name,kind\nTea,1\n")
    mapping = ColumnMapping(table="item", columns={"item": "name", "category": "kind", "i_brand": "kind*2"})
    with pytest.raises(DatagenError, match=r"i_brand holds texts and 'kind\*2' gives numbers"):
        ingest(tmp_path / "menu.csv", mapping, out=tmp_path / "out")

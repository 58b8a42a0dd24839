"""The first page is short, and its numbers are those of the committed result that it names."""

from __future__ import annotations

import re
from pathlib import Path

from streambench.lab.figures import draw
from streambench.lab.record import results

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def words(picture: Path) -> list[str]:
    """What is written in an SVG; where it stands differs between versions of matplotlib."""
    return re.findall(r">([^<>]+)</text>", picture.read_text())


def test_the_first_page_is_short_and_says_that_this_is_no_tpc_result() -> None:
    assert len(README.splitlines()) < 120
    assert "Derived from TPCx-BB, not a TPC result" in README


def test_the_picture_is_one_that_is_drawn_from_the_named_result(tmp_path: Path) -> None:
    picture = re.search(
        r"!\[[^\]]*\]\((docs/scaling\.svg)\)\n\n`streambench figures (results/\S+) --out build`", README
    )
    assert picture is not None
    draw(results.read(ROOT / picture[2]), tmp_path)
    assert words(tmp_path / "scaling.svg") == words(ROOT / picture[1])


def test_the_ratios_are_those_of_the_named_result() -> None:
    named = re.search(r"(results/\S+-bench\.json)", README)
    assert named is not None
    rows = results.read(ROOT / named[1])["summary"]
    written = re.search(r"^\| \| (q1 .*)\|\n\| --- .*\n((?:\| \d worker.*\n)+)", README, re.MULTILINE)
    assert written is not None
    queries = [each.strip() for each in written[1].split("|")]
    found = {}
    for line in written[2].splitlines():
        first, *cells = [each.strip() for each in line.strip("|").split("|")]
        found |= {(query, int(first.split()[0])): cell for query, cell in zip(queries, cells, strict=True)}
    assert found == {
        (row["query"], row["workers"]): "{median:.2f} [{low:.2f}, {high:.2f}]".format(**row["ratio"])
        for row in rows
        if row["engine"] == "ordered"
    }
    assert {f"{row['ratio']['coverage']:.1%}".replace("%", " %") for row in rows} == {"96.1 %"}
    assert "96.1 % intervals" in README

"""Every name that an option takes is a word of the glossary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from streambench.execution import options, plans
from streambench.host.placement import PLACES

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(r"^\| (.+?) \| (.+) \|$", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)

TAKEN = {
    "engine": options.ENGINES,
    "plan": plans.NAMED,
    "heuristic": options.HEURISTICS,
    "reordering scheme": options.REORDERS,
    "partitioning scheme": options.PARTITIONINGS,
    "partition-by": options.PARTITIONERS,
    "routing": options.ROUTINGS,
    "place": PLACES,
}


@pytest.mark.parametrize("word", TAKEN)
def test_a_words_meaning_lists_all_names_that_its_option_takes(word: str) -> None:
    (meaning,) = [meaning for each, meaning in ROWS if each == word]
    assert not set(TAKEN[word]) - set(re.findall(r"`([\w-]+)`", meaning))


def test_no_word_stands_twice() -> None:
    words = [part for word, _ in ROWS if word not in ("word", "---") for part in word.split(", ")]
    assert len(words) > 60
    assert len(words) == len(set(words))

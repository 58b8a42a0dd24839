"""Streams of the words of a text that comes with Python: the help on its language, `pydoc_data.topics`."""

from __future__ import annotations

import re
from pydoc_data.topics import topics

import numpy as np

from streambench.lab.measure.topk.zipf_streams import Items

WORD = re.compile(r"\w+")


def words_of_text() -> list[str]:
    """All words of all topics, in lower case and in order. Each version of Python has its own text."""
    return [word for text in topics.values() for word in WORD.findall(text.lower())]


def word_streams(streams: int, items: int) -> list[Items]:
    """As many ``streams`` of ``items`` each, one after the other from the text's begin; after its end it begins again.

    A word's item is its number by first appearance, from 0.
    """
    numbers: dict[str, int] = {}
    text = np.array([numbers.setdefault(word, len(numbers)) for word in words_of_text()], np.uint64)
    return np.split(np.resize(text, streams * items), streams)

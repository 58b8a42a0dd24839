"""Streams of words are consecutive parts of the text, which begins again after its end."""

from __future__ import annotations

import pydoc_data.topics

import numpy as np
import pytest

from streambench.lab.measure.topk import word_streams as module
from streambench.lab.measure.topk.word_streams import word_streams, words_of_text
from streambench.lab.measure.topk.zipf_streams import ExactCounts


def test_words_are_those_of_the_text_in_order() -> None:
    naive, word = list[str](), ""
    for letter in "\n".join([*pydoc_data.topics.topics.values(), ""]).lower():
        if letter.isalnum() or letter == "_":
            word += letter
        elif word:
            naive.append(word)
            word = ""
    assert words_of_text() == naive
    assert len(naive) > 10_000  # a long text


def test_streams_are_parts_of_the_repeated_text_as_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "topics", {"first": "To be, or not\nto be:", "second": "that is it."})
    streams = word_streams(3, 8)
    text = [0, 1, 2, 3, 0, 1, 4, 5, 6]  # to be or not to be that is it
    assert np.concatenate(streams).tolist() == (text * 3)[:24]
    assert [(len(each), each.dtype) for each in streams] == [(8, np.dtype(np.uint64))] * 3
    exact = ExactCounts(streams)
    assert dict(zip(exact.items.tolist(), exact.counts.tolist(), strict=True)) == {
        number: (text * 3)[:24].count(number) for number in range(7)
    }

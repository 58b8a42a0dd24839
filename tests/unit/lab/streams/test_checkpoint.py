"""A checkpoint is gone on with for what it was made for, and for nothing else; what is refused stays as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from streambench.errors import StreambenchError
from streambench.lab.streams.checkpoint import claim
from streambench.lab.streams.terms import StreamTerms


@pytest.fixture
def terms(tmp_path: Path) -> StreamTerms:
    made = StreamTerms("q4", "files", tmp_path / "c", data=tmp_path)
    assert not claim(made)
    return made


def test_the_same_stream_goes_on_wherever_its_master_is(terms: StreamTerms) -> None:
    assert claim(terms)
    assert claim(replace(terms, master="spark://elsewhere:7077", trigger=1.0, files_per_trigger=1))


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"query": "q2"}, "made with query q4, not q2"),
        ({"parameter_set": "kit"}, "made with parameter_set paper, not kit"),
        ({"lateness": 5}, "made with lateness 0, not 5"),
        ({"buckets": 3}, "made with buckets 8, not 3"),
        ({"source": "rate", "trigger": 1.0}, "made with source files, not rate"),
        ({"out": Path("elsewhere")}, "made with out"),
    ],
)
def test_another_stream_is_refused(terms: StreamTerms, changed: dict[str, Any], told: str) -> None:
    before = (terms.checkpoint / "stream.json").read_bytes()
    with pytest.raises(StreambenchError, match=told):
        claim(replace(terms, **changed))
    assert (terms.checkpoint / "stream.json").read_bytes() == before


def test_another_format_and_a_damaged_file_are_refused(terms: StreamTerms) -> None:
    file = terms.checkpoint / "stream.json"
    file.write_text(file.read_text().replace('"format": 1', '"format": 0'))
    with pytest.raises(StreambenchError, match="another version of streambench"):
        claim(terms)
    file.write_text("{")
    with pytest.raises(StreambenchError, match="damaged"):
        claim(terms)


def test_a_folder_of_something_else_is_refused(terms: StreamTerms, tmp_path: Path) -> None:
    with pytest.raises(StreambenchError, match=r"something else.*--checkpoint"):
        claim(replace(terms, checkpoint=tmp_path))
    with pytest.raises(StreambenchError, match=r"something else.*--out"):
        claim(replace(terms, checkpoint=tmp_path / "new", out=terms.checkpoint))
    assert not (tmp_path / "new").exists()

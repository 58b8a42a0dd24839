"""What a user sees of the package at a prompt: its names, and short texts of options and results."""

from __future__ import annotations

import typing
from dataclasses import fields

import streambench
from streambench.execution.options import OptionChanges, Options
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource


def test_every_public_name_is_listed_and_there() -> None:
    assert set(streambench.__all__) <= set(dir(streambench))
    for name in streambench.__all__:
        assert getattr(streambench, name) is not None


def test_a_result_is_short_at_a_prompt() -> None:
    pipeline = streambench.Pipeline([TableSource([range(1000)], ("a",)), TableSink()])
    result = pipeline.run(engine="serial")
    assert repr(result).startswith("Result(engine='serial', tuples=1000, seconds=")
    assert result.digest in repr(result)
    assert len(repr(result)) < 300
    assert len(str(result.to_json())) > 1000, "the rest is there"


def test_options_show_what_is_not_the_default_and_can_be_read_back() -> None:
    options = Options(workers=2, unit=256, preload=True, laps=3)
    assert repr(options) == "Options(workers=2, unit=256, laps=3, preload=True)"
    assert eval(repr(options)) == options
    assert repr(Options()) == "Options()"


def test_the_keywords_of_run_are_the_options() -> None:
    """Type checkers read the one, the runtime the other."""
    assert typing.get_type_hints(OptionChanges) == typing.get_type_hints(Options)
    assert list(OptionChanges.__annotations__) == [each.name for each in fields(Options)]

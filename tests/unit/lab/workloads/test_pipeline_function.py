"""A function is found by ``module:function``, and what is wrong with it is told in one sentence that says where."""

from __future__ import annotations

from pathlib import Path

import pytest
from own_pipelines import OwnModule, own_module

from streambench.errors import OptionError
from streambench.lab.workloads.pipeline_function import PipelineFunction, is_own

WRONG = """
once = keep()
number = 3

def same():
    return once

def number_instead():
    return 3

def nothing():
    pass

def one(size):
    return keep()

def raises():
    raise ValueError("no room,\\n  anywhere.")

def ends():
    raise SystemExit(3)

def too_short():
    return streambench.Pipeline([])

def digested():
    source = TableSource(arrays[:4], ("key", "value", "result", "count"))
    return streambench.Pipeline([source, DigestSink()])

def executed():
    made = keep()
    made.run(engine="serial")
    return made
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnModule:
    return own_module(tmp_path, monkeypatch, WRONG)


def test_only_an_own_pipeline_has_a_colon_in_its_name() -> None:
    assert is_own("readings:build")
    assert not is_own("q1")


def test_each_call_builds_a_new_pipeline(mine: OwnModule) -> None:
    function = PipelineFunction(mine["keep"])
    first, second = function(), function()
    assert first is not second
    assert not set(map(id, first.operators)) & set(map(id, second.operators))


def test_a_module_in_a_package_in_the_current_folder_is_found(mine: OwnModule) -> None:
    package = mine.folder / f"package_of_{mine.name}"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "inside.py").write_text(f"from {mine.name} import keep\n")
    assert PipelineFunction(f"{package.name}.inside:keep")().operators


@pytest.mark.parametrize("name", ["readings:", ":build", "a b:c", "a:b:c", "a.:b", "a:b.c", "./a.py:build"])
def test_names_that_are_none_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match=r"own pipelines are called module:function, such as readings:build, not '"):
        PipelineFunction(name)


@pytest.mark.parametrize("name", ["no_such_module", "no_such.module", "json.decoder.inner"])
def test_a_module_that_is_not_there_is_named(mine: OwnModule, name: str) -> None:
    with pytest.raises(OptionError, match=r"there is no module (no_such\w*|json\.decoder\.inner): it must be on the"):
        PipelineFunction(f"{name}:build")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1\nx / 0\n", r"ZeroDivisionError: division by zero \(own_\w+\.py, line 2\)"),
        ("import no_such_module\n", r"ModuleNotFoundError: No module named 'no_such_module' \(own_\w+\.py, line 1\)"),
        ("def build(:\n", r"SyntaxError: [^()]+ \(own_\w+\.py, line 1\)"),
        ("raise SystemExit\n", r"SystemExit \(own_\w+\.py, line 1\)"),
    ],
)
def test_what_an_import_raised_is_told(mine: OwnModule, text: str, told: str) -> None:
    mine.file.write_text(text)
    with pytest.raises(OptionError, match=rf"^importing {mine.name} raised {told}\.$"):
        PipelineFunction(mine["build"])


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        ("none", "module {} has no function none: name one that returns a Pipeline"),
        ("number", "{}:number is an int, no function: name one that returns a Pipeline"),
        ("number_instead", "{}:number_instead returned an int: it must return a streambench.Pipeline"),
        ("nothing", "{}:nothing returned None: it must return a streambench.Pipeline"),
        ("one", "{}:one is to be called with the data, and none are named: name a Parquet file by --data"),
        ("raises", "{}:raises raised ValueError: no room, anywhere ({}.py, line "),
        ("ends", "{}:ends raised SystemExit: 3 ({}.py, line "),
        (
            "too_short",
            "{}:too_short raised OptionError: a pipeline starts with a Source and ends with a Sink: give at least "
            "these two ({}.py, line ",
        ),
        ("digested", "{}:digested ends with a DigestSink: end it with a TableSink, which can be checked"),
        ("executed", "{}:executed returned a pipeline that has been given away or executed before: operators hold"),
    ],
)
def test_what_is_wrong_with_a_function_is_told(mine: OwnModule, function: str, sentence: str) -> None:
    with pytest.raises(OptionError) as told:
        PipelineFunction(mine[function])()
    assert str(told.value).startswith(sentence.replace("{}", mine.name))
    assert "\n" not in str(told.value)


def test_the_same_pipeline_twice_is_refused(mine: OwnModule) -> None:
    function = PipelineFunction(mine["same"])
    function()
    with pytest.raises(OptionError, match="so build a new one in every call"):
        function()


def test_another_text_of_the_module_is_another_state(mine: OwnModule) -> None:
    function = PipelineFunction(mine["keep"])
    before = function.state()
    assert function.state() == before
    mine.file.write_text(mine.file.read_text() + "\n# changed\n")
    assert function.state() != before

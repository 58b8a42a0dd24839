"""What a run cannot do is refused before it starts, whatever the runtime."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from streambench.errors import DataError, OptionError
from streambench.snet.boxes import Concurrency
from streambench.snet.errors import SnetError
from streambench.snet.net import Net

BOX = "box f ((<t>) -> (<t>)); net X connect f;"
RUNTIMES = ["naive", "front", "threads"]


def run(runtime: Any, records: Any = ({"<t>": 1},), boxes: Any = None, **options: Any) -> list[dict[str, Any]]:
    return list(Net.parse(BOX).run(records, boxes or {"f": lambda t: (t,)}, runtime=runtime, **options))


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", ["workers", "credit"])
@pytest.mark.parametrize("value", [0, -1, 1.5, None, True, 2**40, pytest.param(10**5000, id="huge")])
def test_a_count_that_is_none_is_refused(name: str, value: Any, runtime: Any) -> None:
    with pytest.raises(OptionError, match=rf"^{name} must be a whole number from 1 to [0-9]+, not .{{1,13}}\.$"):
        run(runtime, **{name: value})


@pytest.mark.parametrize("calls", [0, -1, 2.5, True, 1025])
def test_no_box_has_so_many_calls_at_a_time(calls: Any) -> None:
    for given in ({"others": calls}, {"named": {"f": calls}}):
        with pytest.raises(OptionError, match=rf"^concurrency must be 1 to 1024, not {calls}\.$"):
            Concurrency(**given)


@pytest.mark.parametrize("runtime", [*RUNTIMES, "frnt"])
def test_an_unknown_runtime_or_box_is_refused(runtime: Any) -> None:
    known = runtime in RUNTIMES
    said = r"concurrency names the box g, which .*" if known else "runtime must be naive, front, threads, not 'frnt'"
    with pytest.raises(OptionError, match=rf"^{said}\.$"):
        run(runtime, concurrency=Concurrency({"g": 2}))


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("record", [None, "<t>", 5, [("<t>", 1)]])
def test_what_is_no_record_is_told(record: Any, runtime: Any) -> None:
    with pytest.raises(DataError, match=r"^a record is a dict by label, not .*\.$"):
        run(runtime, [{"<t>": 1}, record])


def test_boxes_may_be_attributes_of_anything() -> None:
    assert run("naive", boxes=SimpleNamespace(f=lambda t: {"<t>": t + 1})) == [{"<t>": 2}]
    with pytest.raises(SnetError, match=r"^<text>, line 1: a list has no function for box f\.$"):
        run("naive", boxes=[5])

"""A run tells what each worker does, in order, and what it has unfolded."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from test_drawing import drawn

from streambench.snet.boxes import functions
from streambench.snet.front import Front
from streambench.snet.front_nodes import Position
from streambench.snet.net import Net
from streambench.snet.part import Part
from streambench.snet.syntax import Name, Network, Sync
from streambench.snet.trace import Step, line
from streambench.snet.unfolded import Unfolded

STAR = "net X connect [{<n>} -> {<n = n - 1>}; {<out = n>}] * {<out>}, {<n>} if <n == 0>;"


def traced(net: Net, records: list[dict[str, Any]], boxes: Any = None, **how: Any) -> list[Step]:
    steps: list[Step] = []
    list(net.run(records, boxes, steps.append, **how))
    return steps


@pytest.mark.parametrize(("runtime", "workers"), [("front", (0, 0, 0, 0)), ("threads", (1, 2, 3, 4))])
def test_a_trace_names_worker_part_and_record(runtime: Any, workers: tuple[int, ...]) -> None:
    net = Net.parse("box f ((<n>) -> (<m>));\nnet X connect f\n.. [{<m>} -> {<m = m + 1>}];")
    steps = traced(net, [{"<n>": 1, "kept": 2}], {"f": lambda n: {"<m>": n}}, runtime=runtime)
    assert [line(each) for each in steps] == [
        f"{workers[0]}: takes in {{kept, <n=1>}}",
        f"{workers[1]}: <text>, line 2: f takes {{kept, <n=1>}}",
        f"{workers[2]}: <text>, line 3: [{{<m>}} -> {{<m=m + 1>}}] takes {{kept, <m=1>}}",
        f"{workers[3]}: gives out {{kept, <m=2>}}",
    ]


def test_a_trace_names_the_replicas_around_a_part() -> None:
    source = "net X connect (([| {a}, {b} |] .. [{<n>} -> {<n = n - 1>}]) ! <s>) * {<n>} if <n == 0>;"
    steps = traced(Net.parse(source), [{"<s>": -3, "<n>": 2, "a": 1, "b": 2}], runtime="front")
    assert [each.replicas for each in steps if isinstance(each.network, Sync)] == [(0, -3), (1, -3)]
    second = next(line(each) for each in steps if each.replicas == (1, -3))
    assert second.startswith("0: <text>, line 1: [| {a}, {b} |] in replica 1.-3 takes {")


def test_a_trace_tells_initialisers_and_what_is_taken_over() -> None:
    """Who has h has put g on its list, and h waits until another worker has taken that over."""
    net = Net.parse("""box g ((<a>) -> (<b>)); box h ((<c>) -> (<b>)); box s (-> (<b>));
        net X connect (s | [{<n>} -> {<a = n>}; {<c = n>}]) .. (g | h | []);""")
    called = threading.Event()

    def g(a: int) -> tuple[int]:
        called.set()
        return (a,)

    def h(c: int) -> tuple[int]:
        assert called.wait(60)
        return (c,)

    steps = traced(net, [{"<n>": 1}], {"g": g, "h": h, "s": lambda: (0,)}, runtime="front", workers=2)
    assert [line(each)[1:] for each in steps if each.what == "starts"] == [": <text>, line 2: s starts"]
    (over,) = (each for each in steps if each.what == "takes over")
    assert over.other == 1 - over.worker
    assert line(over) == f"{over.worker}: <text>, line 2: g is taken over from {over.other}"
    taken = {
        each.network.name: each.worker for each in steps if isinstance(each.network, Name) and each.what == "takes"
    }
    assert taken == {"h": over.other, "g": over.worker}


def test_what_a_trace_raises_ends_the_run() -> None:
    def trace(step: Step) -> None:
        raise KeyError(step.what)

    for runtime in ("front", "threads", "naive"):
        with pytest.raises(KeyError, match="takes"):
            list(Net.parse("net X connect [];").run([{}], None, trace, runtime=runtime))  # type: ignore[arg-type]


def test_the_entity_graphs_of_all_runtimes_have_the_replicas_that_came_to_be() -> None:
    """Where no replicas are alike they are the same."""
    source = "net X connect ([| {a}, {b} |] .. [{a} -> {a, <k = 1>}] | [{c} -> {<z>}]) ! <s>;"
    given = [{"<s>": 2, "a": 0}, {"<s>": -1, "c": 0}, {"<s>": 2, "b": 0}, {"<s>": 2, "c": 0}]
    found = []
    for runtime in ("naive", "front", "threads"):
        net = Net.parse(source)
        list(net.run(given, runtime=runtime, unfold=True))  # type: ignore[arg-type]
        parts, counts = drawn(net.entity_graph())
        found.append((sorted(parts), sorted(counts)))
    assert found[0] == found[1] == found[2]
    assert len(found[0][0]) == 6


def test_front_draws_as_one_what_it_makes_one() -> None:
    """Replicas without state are one; a star around a cell is one entity."""
    net = Net.parse(STAR)
    list(net.run([{"<n>": 3}], runtime="front", unfold=True))
    assert drawn(net.entity_graph()) == (["[{<n>} -> {<n=n - 1>}; {<out=n>}]"], ["3"])
    list(net.run([{"<n>": 3}]))
    assert drawn(net.entity_graph())[1] == ["1", "1", "1"]
    zipper = Net.parse("net X connect [| {a}, {b} |] * {a, b};")
    list(zipper.run([{"a": 1}, {"a": 2}, {"b": 3}, {"b": 4}], runtime="front", unfold=True))
    assert drawn(zipper.entity_graph()) == (["[| {a}, {b} |] * {a, b}"], ["4"])


def test_no_replica_and_no_record_is_lost_of_what_many_workers_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them come to a new replica at the same time, and lose the GIL while it is made."""
    workers, replicas = 4, 40
    together = threading.Barrier(workers)
    made = Unfolded._made

    def slowly(self: Unfolded, network: Network, position: Position) -> Part:
        time.sleep(0.001)
        return made(self, network, position)

    def f(k: int) -> tuple[int]:
        together.wait(60)
        return (k,)

    monkeypatch.setattr(Unfolded, "_made", slowly)
    net = Net.parse("box f ((<k>) -> (<k>)); net X connect f ! <w> .. ([| {a}, {b} |] | [{c} -> {<z>}]) ! <k>;")
    given = [{"<k>": k, "<w>": w, "c": 0} for k in range(replicas) for w in range(workers)]
    program = Front(net.program, net.network, net.signatures, functions(net.boxes.values(), {"f": f}), unfold=True)
    assert len(list(program.run(given, workers))) == len(given)
    assert program.unfolded is not None
    split = program.unfolded.inner[1]
    assert {key: each.records for key, each in split.inner.items()} == dict.fromkeys(range(replicas), workers)

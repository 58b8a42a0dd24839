"""Programs of more labels than a word has bits do what others do."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from many_labels import FAR, STRADDLING, many_labels
from random_nets import forward_networks
from sanitized import examples
from streambench.pyx.front.property_graph import PropertyGraph
from test_front import VALUES, WORKERS, counted, outcome, program, records
from test_stopped_runs import NET, Values

from streambench.snet.front_tables import Tables
from streambench.snet.net import Net
from streambench.snet.syntax import Network

BEFORE = [STRADDLING, FAR]


@examples(50)
@given(forward_networks(), VALUES, WORKERS, st.sampled_from(BEFORE))
def test_the_same_records_leave_whatever_words_their_labels_are_in(
    network: Network, values: list[tuple[int, int, int]], workers: int, before: int
) -> None:
    net, made = program(network), records(values)
    with many_labels(before):
        found = outcome(net, made, runtime="front", workers=workers)
    assert counted(found) == counted(outcome(net, made))


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("workers", [1, 3])
def test_nothing_is_left_of_a_run_of_many_labels(workers: int, before: int) -> None:
    values = Values(10**6)
    with many_labels(before):
        run = Net.parse(NET).run(values, {"f": lambda a: (a,)}, runtime="front", workers=workers)
        for _ in range(50):
            next(run)
        run.close()  # type: ignore[attr-defined]
    del run
    gc.collect()
    assert values.alive() == 0


@pytest.mark.parametrize("runtime", ["front", "threads"])
@pytest.mark.parametrize("labels", [61, 62, 63, 125, 126, 300])
def test_a_filter_gives_as_many_labels_as_it_says(labels: int, runtime: Any) -> None:
    """Also at the edges of words; fields that are copied, and tags."""
    items = ", ".join(f"<t{k} = a + {k}>" for k in range(labels - 3))
    net = Net.parse(
        f"net X connect ([{{<a>, f}} -> {{{items}, f, g = f}}; {{<a>}}] | []) .. ([{{<t3>}} -> {{}}] ! <t1> | []);"
    )
    values = [{"<a>": 1, "f": "x", "kept": 2}, {"<b>": 3}, {"<t1>": 4, "<t3>": 5, "g": 6}]
    assert counted(list(net.run(values, runtime=runtime))) == counted(list(net.run(values)))


def test_a_pipeline_of_29_boxes_has_its_own_fields_at_every_one() -> None:
    boxes = "".join(f"box f{k} ((a{k}, b{k}, <n{k}>) -> (a{k + 1}, b{k + 1}, <n{k + 1}>));" for k in range(29))
    net = Net.parse(f"{boxes} net X connect {' .. '.join(f'f{k}' for k in range(29))};")
    functions = {f"f{k}": lambda a, b, n: (a + 1, [b], n * 2 % 1000) for k in range(29)}
    given_ = [{"a0": k, "b0": None, "<n0>": k, "a29x": k} for k in range(20)]
    assert list(net.run(given_, functions, runtime="front", workers=2)) == list(net.run(given_, functions))


def test_one_word_is_all_that_62_labels_take() -> None:
    """And each further one has 63 more, as it stands where a label's value would."""
    found = []
    for labels in (62, 63, 125, 126):
        items = ", ".join(f"<t{k}>" for k in range(labels))
        graph = Tables(Net.parse(f"net X connect [{{}} -> {{{items}}}];").program).graph(0)
        assert isinstance(graph, PropertyGraph)
        found.append((graph.further, graph.labels))
    assert found == [(0, 64), (1, 66), (1, 128), (2, 130)]

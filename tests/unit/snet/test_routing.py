"""Records take the branch that they match best: beside an oracle that enumerates, and by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from random_nets import MARKS, routed_networks
from routing_oracle import EndlessError, NowhereError, asked, run
from sanitized import examples

from streambench.snet.demands import Demands
from streambench.snet.errors import SnetError
from streambench.snet.net import Net
from streambench.snet.syntax import Net as NetSyntax
from streambench.snet.syntax import Network, Program

RUNTIMES = [("naive", 1), ("front", 2), ("threads", 1)]


def counted(records: list[dict[str, Any]]) -> list[str]:
    return sorted(str(sorted(each.items())) for each in records)


@examples(120)
@given(routed_networks())
def test_a_network_asks_for_what_enumeration_finds(network: Network) -> None:
    assert set(Demands({}).of(network)) == asked((network,))


@examples(80)
@given(routed_networks(), st.frozensets(st.sampled_from(MARKS)), st.sampled_from(RUNTIMES))
def test_records_take_the_branches_of_the_oracle(network: Network, labels: frozenset[str], runtime: Any) -> None:
    record = {label: place for place, label in enumerate(sorted(labels))}
    try:
        expected: list[str] | None = counted(run(network, record))
    except NowhereError:
        expected = None
    except EndlessError:
        assume(False)
    net = Net(Program((NetSyntax("X", None, (), network),)))
    try:
        found = counted(list(net.run([record], runtime=runtime[0], workers=runtime[1])))
    except SnetError:
        found = None
    assert found == expected


CASES: list[tuple[str, dict[str, Any], list[dict[str, Any]]]] = [
    (  # every alternative of what is behind may be what a record has
        "net Inner connect [{<k>} -> {<k = k + 1>}] .. ([{a} -> {<x>}] | [{b} -> {<y>}]);"
        "net X connect Inner | [{<k>} -> {<other>}];",
        {"<k>": 0, "b": 1},
        [{"<k>": 1, "<y>": 0}],
    ),
    (
        "net X connect ([] .. ([{a} -> {<x>}] | [{b} -> {<y>}])) | [{z} -> {}];",
        {"b": 1},
        [{"<y>": 0}],
    ),
    (  # a star's exit is one alternative
        "net X connect [{a} -> {b=a}] .. [{b,c} -> {<R>}] * {<R>} | [{z} -> {}];",
        {"a": 1, "c": 2},
        [{"<R>": 0}],
    ),
    (  # the more special alternative counts, too
        "net X connect [{<k>, b} -> {<other>}] | [{<k>} -> {<k>}] .. ([{a} -> {<x>}] | [{a, b} -> {<y>}]);",
        {"<k>": 0, "a": 1, "b": 1},
        [{"<k>": 0, "<y>": 0}],
    ),
    (  # three parts on
        "net X connect [{<k>} -> {<l>}] .. [] .. [{<l>} -> {<m>}] .. ([{a} -> {}] | [{b} -> {}]) | [{<k>} -> {<o>}];",
        {"<k>": 0, "b": 1},
        [{"<m>": 0}],
    ),
    (  # what a later replica of a star needs
        "net X connect ([{a} -> {b = a}] | [{b, c} -> {d = b}] | [{d, e} -> {<R>}]) * {<R>} | [{a, c} -> {<o>}];",
        {"a": 1, "c": 2},
        [{"<o>": 0}],
    ),
    (
        "net X connect ([{a} -> {b = a}] | [{b, c} -> {<R>}]) * {<R>} | [{a} -> {<o>}];",
        {"a": 1},
        [{"<o>": 0}],
    ),
    (  # a feedback's operand takes all, and then what goes round
        "net X connect ([{a} -> {b = a}] | [{b, c} -> {d = b}]) \\ {b} | [{a} -> {<o>}];",
        {"a": 1, "q": 2},
        [{"<o>": 0, "q": 2}],
    ),
    (  # a split lets through what is missing inside
        "net X connect ([{a} -> {b = a}] .. ([{b, c} -> {<x>}] | [{b, d} -> {<y>}])) ! <k> | [{a, <k>} -> {<o>}];",
        {"a": 1, "d": 2, "<k>": 3},
        [{"<k>": 3, "<y>": 0}],
    ),
    (  # a net with a signature hides and gives back
        "net I ({a} -> {b}) connect [{a} -> {b = a}];"
        "net X connect I .. ([{b, c} -> {<x>}] | [{b, d} -> {<y>}]) | [{a} -> {<o>}];",
        {"a": 1, "d": 2},
        [{"<y>": 0}],
    ),
    (  # behind a star is what its exit's records go on to
        "net X connect ([{a} -> {<R>}] * {<R>}) .. [{<R>, c} -> {<x>}] | [{a} -> {<o>}];",
        {"a": 1},
        [{"<o>": 0}],
    ),
]


@pytest.mark.parametrize(("runtime", "workers"), RUNTIMES)
@pytest.mark.parametrize(("source", "record", "made"), CASES)
def test_a_record_goes_where_all_that_is_behind_takes_it(
    source: str, record: dict[str, Any], made: list[dict[str, Any]], runtime: Any, workers: int
) -> None:
    assert list(Net.parse(source).run([record], runtime=runtime, workers=workers)) == made


def test_types_of_a_long_pipeline_are_inferred_though_it_gives_too_many_to_list() -> None:
    boxes = "".join(f"box f{k} ((a) -> (a) | (a, b{k}));" for k in range(24))
    net = Net.parse(f"{boxes} net X connect {' .. '.join(f'f{k}' for k in range(24))} .. [{{a, c}} -> {{}}];")
    asked = frozenset(("a", "c"))
    assert net.signatures["X"].inputs == (asked,)
    assert net.signatures["X"].open == {asked}


STAGES = " .. ".join(f"([{{a{k}}} -> {{}}] | [{{b{k}}} -> {{}}])" for k in range(12))


def test_a_network_that_asks_for_too_many_types_is_refused_in_one_sentence() -> None:
    with pytest.raises(SnetError, match=r"^t\.snet, line 1: a network may ask for 1,024 types"):
        Net.parse(f"net X connect {STAGES};", "t.snet")


def test_a_net_that_says_what_it_takes_may_have_any_alternatives_inside() -> None:
    labels = ", ".join(f"a{k}" for k in range(12))
    net = Net.parse(f"net In ({{{labels}}} -> {{}}) connect {STAGES}; net X connect In;")
    assert list(net.run([{f"a{k}": 0 for k in range(12)} | {"q": 1}])) == [{"q": 1}]

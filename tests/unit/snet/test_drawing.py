"""What is drawn: every part of the net as it is written, or as a run has unfolded it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from random_nets import networks

from streambench.errors import StreambenchError
from streambench.snet import drawing
from streambench.snet.drawing import svg
from streambench.snet.net import Net
from streambench.snet.part import Part, as_written
from streambench.snet.syntax import Network, Serial

SOURCE = """
    net In ({<n>} -> {<n>}) connect [{<n>} -> {<n = n - 1>}];
    net X connect (In | [{a} -> {}]) * {<n>} if <n == 0> .. ([| {<n>}, {a} |] ! <n>) \\ {z};
"""


def drawn(part: Part) -> tuple[list[str], list[str]]:
    """The parts that are drawn, and what is written below them."""
    root = ElementTree.fromstring(svg(part))
    names = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}title")]
    counts = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text") if each.get("class") == "count"]
    return names, [each for each in counts if each]


def after(records: Iterable[dict[str, Any]]) -> Part:
    net = Net.parse(SOURCE)
    with pytest.warns(UserWarning, match="wait"):
        list(net.run(records))
    return net.entity_graph()


def test_the_property_graph_has_what_repeats_once() -> None:
    names, counts = drawn(Net.parse(SOURCE).property_graph())
    assert names == ["[{<n>} -> {<n=n - 1>}]", "[{a} -> {}]", "[| {<n>}, {a} |]"]
    assert counts == ["<n>"]  # the tag of the split


def test_the_entity_graph_has_every_replica_with_what_it_has_taken() -> None:
    names, counts = drawn(after([{"<n>": 3}, {"<n>": 1}]))
    assert names == ["[{<n>} -> {<n=n - 1>}]", "[{a} -> {}]"] * 3 + ["[| {<n>}, {a} |]"]
    assert counts == ["2", "0", "1", "0", "1", "0", "0", "2"]  # the last two: the replica of <n> = 0, and its records


def test_frames_titles_and_signs_are_written() -> None:
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg(Net.parse(SOURCE).property_graph()))
    assert {"In", "|", "*", "!", "\\", "{&lt;n&gt;} if &lt;n == 0&gt;", "{z}"} <= set(texts)


@given(networks())
def test_any_network_can_be_drawn_within_its_frame(network: Network) -> None:
    root = ElementTree.fromstring(svg(as_written(network, {})))
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    for each in root.iter("{http://www.w3.org/2000/svg}rect"):
        x, y, wide, high = (float(each.get(name, "-1")) for name in ("x", "y", "width", "height"))
        assert x >= 0
        assert y >= 0
        assert x + wide <= width + 1
        assert y + high <= height + 1


def test_parts_of_a_row_do_not_cover_each_other() -> None:
    net = Net.parse("net X connect [{a} -> {}] .. ([{b} -> {}] | [{c} -> {}] .. [{d} -> {}]) .. [{e} -> {}];")
    root = ElementTree.fromstring(svg(net.property_graph()))
    rects = [
        [float(each.get(name, "0")) for name in ("x", "y", "width", "height")]
        for each in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert len(rects) == 5
    for k, (x, y, wide, high) in enumerate(rects):
        for u, v, broad, tall in rects[:k]:
            assert x + wide <= u or u + broad <= x or y + high <= v or v + tall <= y


def test_a_graph_that_nobody_can_draw_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MOST_PARTS", 3)
    net = Net.parse("net X connect [] .. [] .. [];")
    assert isinstance(net.network, Serial)
    with pytest.raises(StreambenchError, match=r"^the graph has 4 parts, and more than 3 nobody can draw: run less\.$"):
        svg(net.property_graph())

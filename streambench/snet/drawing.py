"""A tree of parts as an SVG: records move from left to right.

Boxes are rounded, filters square, synchro-cells dashed; circles divide and join streams. Where parts have taken records
their number stands below. A net with a signature has a frame with its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from streambench.errors import StreambenchError
from streambench.snet import text
from streambench.snet.part import Part
from streambench.snet.syntax import At, Feedback, Filter, Name, Network, Parallel, Serial, Split, Star, Sync

MOST_PARTS = 20_000
LETTER, HEIGHT, GAP, RADIUS, LONGEST = 7.2, 30.0, 26.0, 11.0, 32

STYLE = """
text { font: 12px monospace; text-anchor: middle; dominant-baseline: central; fill: #222 }
.count { font-size: 9px; fill: #666 }
.box { fill: #dbe9f6; stroke: #555 } .filter { fill: #f6ead0; stroke: #555 }
.sync { fill: #f3dfe3; stroke: #555; stroke-dasharray: 5 3 } .knot { fill: #fff; stroke: #555 }
.frame { fill: none; stroke: #999 } .idle { opacity: 0.35 }
path { fill: none; stroke: #333; marker-end: url(#arrow) }
"""


def svg(part: Part) -> str:
    """The drawing. Raises StreambenchError where there are too many parts for a drawing."""
    count = _count(part)
    if count > MOST_PARTS:
        raise StreambenchError(f"the graph has {count} parts, and more than {MOST_PARTS} nobody can draw: run less.")
    block = _block(part)
    canvas = _Canvas()
    middle = GAP + block.height / 2
    canvas.line((0, middle), (GAP, middle))
    block.paint(canvas, GAP, GAP)
    canvas.line((GAP + block.width, middle), (2 * GAP + block.width, middle))
    width, height = block.width + 2 * GAP, block.height + 2 * GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}">'
    arrow = '<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    marker = f'<defs>{arrow}<path d="M0,0 L8,4 L0,8 z" style="fill:#333;stroke:none;marker-end:none"/></marker></defs>'
    return "\n".join((head, f"<style>{STYLE}</style>", marker, *canvas.shapes, "</svg>")) + "\n"


Point = tuple[float, float]


class _Canvas:
    def __init__(self) -> None:
        self.shapes: list[str] = []

    def add(self, shape: str) -> None:
        """One more shape, over those before."""
        self.shapes.append(shape)

    def line(self, *points: Point) -> None:
        """An arrow along the points."""
        self.add(f'<path d="M{" L".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>')

    def write(self, at: Point, content: str, kind: str = "name") -> None:
        """A text around a point."""
        self.add(f'<text class="{kind}" x="{at[0]:.1f}" y="{at[1]:.1f}">{escape(content)}</text>')


@dataclass(frozen=True)
class _Block:
    """A rectangle; records enter and leave in the middle of its sides. ``paint`` gets its left upper corner."""

    width: float
    height: float
    paint: Callable[[_Canvas, float, float], None]


def _block(part: Part) -> _Block:
    network = part.network
    if part.together and not part.inner:  # one entity
        return _leaf(network, part.records)
    inner = [_block(each) for each in part.inner.values()]
    one = part.records is None or part.together
    if isinstance(network, Serial):
        return _row(inner)
    if isinstance(network, Parallel):
        return _fan("||" if network.ordered else "|", inner, [""] * len(inner))
    if isinstance(network, Split):
        names = [network.tag] if one else [str(each) for each in part.inner]
        return _fan("!!" if network.ordered else "!", inner, names)
    if isinstance(network, Star):
        return _chain(network, inner, loops=one)
    if isinstance(network, Feedback):
        return _above(_loop(_row([_knot("\\"), *inner, _knot("\\")])), text.patterns(network.back))
    if isinstance(network, At):
        return _frame(inner[0], f"@ {network.node}")
    if isinstance(network, Name) and inner:
        return _frame(inner[0], network.name)
    return _leaf(network, part.records)


def _leaf(network: Network, records: int | None) -> _Block:
    full = text.network(network)
    shown = full if len(full) <= LONGEST else f"{full[: LONGEST - 1]}…"
    kind = "filter" if isinstance(network, Filter) else "sync" if isinstance(network, Sync | Star) else "box"
    width = LETTER * len(shown) + 16

    def paint(canvas: _Canvas, x: float, y: float) -> None:
        canvas.add(f'<g class="part{" idle" if records == 0 else ""}"><title>{escape(full)}</title>')
        corner = ' rx="9"' if kind == "box" else ""
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{HEIGHT}"'
        canvas.add(f'<rect class="{kind}" {place}{corner}/>')
        canvas.write((x + width / 2, y + HEIGHT / 2), shown)
        if records is not None:
            canvas.write((x + width / 2, y + HEIGHT + 6), str(records), "count")
        canvas.add("</g>")

    return _Block(width, HEIGHT, paint)


def _knot(sign: str) -> _Block:
    def paint(canvas: _Canvas, x: float, y: float) -> None:
        canvas.add(f'<circle class="knot" cx="{x + RADIUS:.1f}" cy="{y + RADIUS:.1f}" r="{RADIUS}"/>')
        canvas.write((x + RADIUS, y + RADIUS), sign)

    return _Block(2 * RADIUS, 2 * RADIUS, paint)


def _row(blocks: Sequence[_Block]) -> _Block:
    """One after the other, with arrows between them."""
    height = max(each.height for each in blocks)

    def paint(canvas: _Canvas, x: float, y: float) -> None:
        middle = y + height / 2
        for place, each in enumerate(blocks):
            if place:
                canvas.line((x, middle), (x + GAP, middle))
                x += GAP
            each.paint(canvas, x, middle - each.height / 2)
            x += each.width

    return _Block(sum(each.width for each in blocks) + GAP * (len(blocks) - 1), height, paint)


def _fan(sign: str, blocks: Sequence[_Block], names: Iterable[str]) -> _Block:
    """One below the other, between a dispatcher and a collector."""
    widest = max((each.width for each in blocks), default=0.0)
    named = list(zip(blocks, names, strict=True))
    height = max(sum(each.height + GAP for each in blocks) - GAP, 2 * RADIUS)
    split, join = _knot(sign), _knot("")

    def paint(canvas: _Canvas, x: float, y: float) -> None:
        middle, left, top = y + height / 2, x + 2 * RADIUS, y
        right = left + 4 * GAP + widest
        for block, name in named:
            at, begin = top + block.height / 2, left + 2 * GAP
            canvas.line((left, middle), (left + GAP, at), (begin, at))
            canvas.write((begin - GAP / 2, at - 8), name, "count")
            block.paint(canvas, begin, top)
            canvas.line((begin + block.width, at), (right - GAP, at), (right, middle))
            top += block.height + GAP
        split.paint(canvas, x, middle - RADIUS)
        join.paint(canvas, right, middle - RADIUS)

    return _Block(widest + 4 * GAP + 4 * RADIUS, height, paint)


def _chain(star: Star, replicas: Sequence[_Block], *, loops: bool) -> _Block:
    """A star's replicas, each after a dispatcher that may let a record out; as written, a loop around one."""
    sign = "**" if star.ordered else "*"
    stages = [block for each in replicas for block in (_knot(sign), each)]
    row = _loop(_row(stages)) if loops else _row([*stages, _knot(sign)])
    return _above(_row([row, _knot("")]), text.patterns(star.exits))


def _loop(block: _Block) -> _Block:
    """With an arrow below that leads back."""

    def paint(canvas: _Canvas, x: float, y: float) -> None:
        block.paint(canvas, x, y + GAP)
        middle, low = y + GAP + block.height / 2, y + GAP + block.height + GAP / 2
        begin, end = (x + block.width, middle + 4), (x + RADIUS, middle + RADIUS)
        canvas.line(begin, (begin[0], low), (end[0], low), end)

    return _Block(block.width, block.height + 2 * GAP, paint)


def _above(block: _Block, title: str) -> _Block:
    """With a text above its beginning: what leaves, or goes round."""
    width = max(block.width, LETTER * len(title))

    def paint(canvas: _Canvas, x: float, y: float) -> None:
        block.paint(canvas, x, y + GAP)
        canvas.write((x + LETTER * len(title) / 2, y + GAP / 2), title)
        if width > block.width:
            middle = y + GAP + block.height / 2
            canvas.line((x + block.width, middle), (x + width, middle))

    return _Block(width, block.height + 2 * GAP, paint)


def _frame(block: _Block, title: str) -> _Block:
    """With a frame and its name around it."""
    width = max(block.width, LETTER * len(title)) + 2 * GAP

    def paint(canvas: _Canvas, x: float, y: float) -> None:
        height = block.height + 2 * GAP
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        canvas.add(f'<rect class="frame" {place}/>')
        canvas.write((x + 4 + LETTER * len(title) / 2, y + 10), title)
        middle = y + height / 2
        canvas.line((x, middle), (x + GAP, middle))
        block.paint(canvas, x + GAP, y + GAP)
        canvas.line((x + GAP + block.width, middle), (x + width, middle))

    return _Block(width, block.height + 2 * GAP, paint)


def _count(part: Part) -> int:
    return 1 + sum(map(_count, part.inner.values()))

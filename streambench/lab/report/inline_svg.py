"""A matplotlib figure as SVG that stands in a page: its colours follow the page, its names are its own.

Greys become mixtures of the page's ink and paper and the lines' colours its variables (``--line-0`` ...), so that one
drawing does for light, dark and print.
"""

from __future__ import annotations

import io
import itertools
import re
from html import escape
from typing import TYPE_CHECKING

from streambench.lab.figures.files import SVG
from streambench.lab.figures.lines import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ONE_PANEL = 600  # pixels
_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
_NAMED = re.compile(r'(\bid="|url\(#|href="#)')
_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)
_SIZE = re.compile(r'<svg\b[^>]*?\bviewBox="([^"]*)"[^>]*>')


class Drawing:
    """Numbers the pictures of one page, so that their ids differ; the same page gives the same bytes."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def svg(self, figure: Figure, description: str) -> str:
        """``description``: what it shows, for those who cannot see it."""
        import matplotlib

        file = io.StringIO()
        with matplotlib.rc_context(SVG):
            figure.savefig(file, format="svg", metadata={"Date": None})
        text = _STYLE.sub("", file.getvalue())
        size = _SIZE.search(text)
        assert size is not None  # matplotlib writes it
        begin = f'<svg viewBox="{size[1]}" role="img" aria-label="{escape(description)}" {_width(size[1])}>'
        body = re.sub(r"<metadata>.*?</metadata>", "", text[size.end() :], flags=re.DOTALL)
        body = _NAMED.sub(rf"\g<1>p{next(self._numbers)}-", body).replace("xlink:href", "href")
        return begin + _HEX.sub(lambda each: colour(each[0]), body)


def colour(value: str) -> str:
    """The page's name for one of the figures' colours; one that is none of these stays as it is."""
    named = value.lower()
    if named in COLOURS[1:]:
        return f"var(--line-{COLOURS.index(named)})"
    red, green, blue = (int(named[at : at + 2], 16) for at in (1, 3, 5))
    if red == green == blue:
        return f"color-mix(in srgb, var(--ink) {100 * (255 - red) / 255:.0f}%, var(--paper))"
    return value


def _width(box: str) -> str:
    """How wide it stands in the page: it may shrink, and not grow; with several panels, it stays readable."""
    width = float(box.split()[2]) / 72 * 96  # pixels, of which an inch has 96
    return f'style="max-width:{width:.0f}px"{" class=panels" if width > ONE_PANEL else ""}'

"""Output that cannot hold a character has it escaped: an answer never ends with a traceback for want of an encoding."""

from __future__ import annotations

import codecs
import io
import sys

ASCII = "escaped_ascii"
"""ASCII by a name that click does not know: where it finds ASCII it takes that for a mistake, and writes UTF-8."""


def escape_output() -> None:
    """Have standard output and standard error write what their encoding lacks as \\u6771."""
    codecs.register(_escaped_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # not where it is closed
            plain = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding=ASCII if plain else None, errors="backslashreplace")


def one_line(text: str) -> str:
    """The text with line breaks, and what else a terminal obeys, escaped: a file's name may have any."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def _escaped_ascii(name: str) -> codecs.CodecInfo | None:
    if name != ASCII:
        return None
    ascii_ = codecs.lookup("ascii")
    return codecs.CodecInfo(
        name=ASCII,
        encode=ascii_.encode,
        decode=ascii_.decode,
        incrementalencoder=ascii_.incrementalencoder,
        incrementaldecoder=ascii_.incrementaldecoder,
    )

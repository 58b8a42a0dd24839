"""Records as a stream of XML elements, the form that S-NET's own tools read and write."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BufferedIOBase
from typing import IO, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from streambench.errors import DataError
from streambench.snet.record import check
from streambench.snet.types import binds, is_tag
from streambench.snet.value_text import decode_typed, encode, whole_number
from streambench.user_code import shown

NAMESPACE = "snet-home.org"
INTERFACE = "C4SNet"
CHUNK = 1 << 16  # bytes
MOST_SHOWN = 40  # characters
DECLARES = "<?xml"
_DECLARATION = re.compile(rb"\s*<\?xml\b(?:[^>]*?encoding\s*=\s*[\"']([\w.-]+)[\"'])?[^>]*\?>")
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # it begins as that of UTF-16 does
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_ZEROS: dict[tuple[bool, ...], str] = {
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
}
_KINDS = {"tag": "<{}>", "btag": "<#{}>", "field": "{}"}


def read(file: BufferedIOBase, name: str) -> Iterator[dict[str, Any]]:
    """The records up to the one of type "terminate", or to the end, each as soon as it is there.

    Of fields the modes "textual" and "binary" are read, in the latter base64. Raises DataError, which calls the file by
    ``name``.
    """
    count = 0
    try:
        for element in _elements(file, name):
            count += 1
            record = _record(element)
            if record is None:
                return
            check(record)
            yield record
    except ElementTree.ParseError as problem:
        line, _ = problem.position
        raise DataError(f"{name}, line {line}: this is not well-formed XML.") from None
    except UnicodeError as problem:
        encoding = getattr(problem, "encoding", "the encoding that it declares")
        raise DataError(f"{name}, after record {count}: this is no text in {encoding}.") from None
    except ValueError as problem:
        raise DataError(f"{name}, record {count}: {problem}.") from None


def encoding_of_head(content: bytes) -> str | None:
    """By a byte order mark at the beginning, or by the zero bytes of its first two signs; None for UTF-8 and others."""
    marked = next((name for mark, name in _MARKS.items() if content.startswith(mark)), None)
    return marked or _ZEROS.get(tuple(byte == 0 for byte in content[:4]))


def write(records: Iterable[Mapping[str, Any]], file: IO[bytes], *, binary: bool = False) -> None:
    """Write the records, each at once, then the one that terminates. Raises DataError for a value without XML form."""
    file.write(b'<?xml version="1.0" ?>\n')
    for count, record in enumerate(records, 1):
        mode = "binary" if binary else "textual"
        lines = [f'<record xmlns="{NAMESPACE}" type="data" mode="{mode}" interface="{INTERFACE}">']
        for label, value in record.items():
            try:
                lines.append(f"  {_element(label, value, binary)}")
            except ValueError as problem:
                raise DataError(f"record {count} of the output: field {label} cannot be written, {problem}.") from None
        file.write("\n".join((*lines, "</record>\n")).encode())  # whole: a record that cannot be written is left out
        file.flush()
    file.write(f'<record xmlns="{NAMESPACE}" type="terminate" />\n'.encode())
    file.flush()


def _elements(file: BufferedIOBase, name: str) -> Iterator[Element]:
    """The elements of the stream, which has no root: one is put around it."""
    parser: ElementTree.XMLPullParser[Any] = ElementTree.XMLPullParser(("start", "end"))
    parser.feed("<stream>")
    root: list[Element] = []
    within: list[Element] = []
    latest: Element | None = None
    for text in _undeclared(_texts(file, name), lambda: len(within) <= 1):
        parser.feed(text or "</stream>")
        events: Any = parser.read_events()
        for event, element in events:
            if event == "start":
                within.append(element)
            else:
                within.pop()
            if not root:
                root.append(element)
            elif len(within) == (2 if event == "start" else 0):
                _require_blank(root[0].text if latest is None else latest.tail, name)
            elif event == "end" and len(within) == 1:
                yield element
                root[0].clear()
                latest = element
    parser.close()  # it says what is still open, such as a comment


def _require_blank(text: str | None, name: str) -> None:
    if text and text.strip():
        raise DataError(f"{name}: between records stands {text.strip()[:MOST_SHOWN]!r}.")


def _undeclared(texts: Iterable[str], between: Callable[[], bool]) -> Iterator[str]:
    """The texts without declarations ``between`` records, which may begin with one each; blanks keep the lines.

    The last is empty, and no other.
    """
    waiting = ""
    for text in texts:
        waiting += text
        while (start := waiting.find(DECLARES)) >= 0:
            if start > 0:
                yield waiting[:start]
            waiting = waiting[start:]
            declared = waiting.find("?>") + 2 if between() else len(DECLARES)
            if declared < len(DECLARES):
                break
            if between():
                waiting = re.sub(r"[^\n]", " ", waiting[:declared]) + waiting[declared:]
            else:
                yield waiting[:declared]
                waiting = waiting[declared:]
        else:
            sizes = range(min(len(DECLARES), len(waiting)), 0, -1)
            begun = next((size for size in sizes if DECLARES.startswith(waiting[-size:])), 0) if text else 0
            if len(waiting) > begun:
                yield waiting[: len(waiting) - begun]
            waiting = waiting[len(waiting) - begun :]
    if waiting:
        yield waiting
    yield ""


def _texts(file: BufferedIOBase, name: str) -> Iterator[str]:
    """The text as it comes, without the declaration; the last is empty."""
    chunk = file.read1(CHUNK).removeprefix(codecs.BOM_UTF8)
    declared = _DECLARATION.match(chunk)
    encoding = (declared[1] or b"utf-8").decode() if declared else encoding_of_head(chunk) or "utf-8"
    try:
        "<".encode(encoding)  # some codecs are not of texts
        decoder = codecs.getincrementaldecoder(encoding)()
    except (LookupError, UnicodeError):
        raise DataError(f"{name}: {encoding} is no encoding that is known.") from None
    if declared:  # blanks, so that lines keep their numbers
        chunk = re.sub(rb"[^\n]", b" ", declared[0]) + chunk[declared.end() :]
    while chunk:
        text = decoder.decode(chunk)
        if text:
            yield text
        chunk = file.read1(CHUNK)
    decoder.decode(b"", final=True)
    yield ""


def _record(element: Element) -> dict[str, Any] | None:
    """The record of an element; None for the one that terminates. Raises ValueError."""
    if _local(element) != "record":
        raise ValueError(f"here stands <{_local(element)}>, and not <record>")
    kind = element.get("type", "data")
    if kind == "terminate":
        return None
    if kind != "data":
        raise ValueError(f'records of type "{kind}" are not known')
    mode = element.get("mode", "binary")
    if mode not in ("textual", "binary"):
        raise ValueError(f'mode "{mode}" is not known')
    record: dict[str, Any] = {}
    _require_no_text(element.text)
    for each in element:
        _require_no_text(each.tail)
        if len(each):
            raise ValueError(f"within <{_local(each)}> stands <{_local(each[0])}>")
        form, label = _KINDS.get(_local(each)), each.get("label")
        if form is None or not label:
            raise ValueError(f"<{_local(each)}> is neither a tag nor a field with a label")
        label = form.format(label)
        if label in record:
            raise ValueError(f"label {label} stands there twice")
        interface = each.get("interface", element.get("interface", INTERFACE))
        record[label] = _integer(label, each.text) if is_tag(label) else _value(each.text, mode, label, interface)
    return record


def _require_no_text(text: str | None) -> None:
    if text and text.strip():
        raise ValueError(f"{text.strip()[:MOST_SHOWN]!r} stands outside of tags and fields")


def _integer(label: str, text: str | None) -> int:
    try:
        return whole_number(text) if text and text.strip() else 0
    except ValueError:
        raise ValueError(f"tag {label} is {shown(text)}, and not an integer") from None
    except OverflowError:
        raise ValueError(f"tag {label} is {shown(text)}: tags are integers of 32 bits") from None


def _value(text: str | None, mode: str, label: str, interface: str) -> Any:
    if interface != INTERFACE:
        raise ValueError(f"field {label} has the interface {interface}: only {INTERFACE} is known")
    try:
        return decode_typed(text or "", binary=mode == "binary")
    except ValueError as problem:
        raise ValueError(f"field {label}: {problem}") from None


def _element(label: str, value: Any, binary: bool) -> str:
    if binds(label):
        return f"<btag label={quoteattr(label[2:-1])}>{value}</btag>"
    if is_tag(label):
        return f"<tag label={quoteattr(label[1:-1])}>{value}</tag>"
    return f'<field label={quoteattr(label)} interface="{INTERFACE}">{escape(encode(value, binary=binary))}</field>'


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2]

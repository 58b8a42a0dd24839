"""Records as XML and as JSON lines: what is written is read as the same records, and what is wrong is told."""

from __future__ import annotations

import io
import math
import os
import re
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from streambench.errors import DataError
from streambench.snet import json_lines, xml_stream
from streambench.snet.net import Net
from streambench.snet.value_text import C_TYPES, decode, encode

INTEGERS = st.integers(-(2**31), 2**31 - 1)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
DTYPES = st.sampled_from([np.dtype(each) for each in C_TYPES.values() if each != "S1"])
ARRAYS = DTYPES.flatmap(lambda dtype: arrays.arrays(dtype, st.integers(0, 5)))
PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=126))
NAMES = st.sampled_from(("a", "b", "c1"))
RECORDS = st.lists(
    st.dictionaries(NAMES, NUMBERS | ARRAYS | PRINTABLE)
    | st.dictionaries(NAMES.map("<{}>".format) | NAMES.map("<#{}>".format), INTEGERS),
    max_size=4,
)


def same(left: Any, right: Any) -> bool:
    """Whether values are the same, arrays with their types and NaN too."""
    if isinstance(left, np.ndarray):
        return isinstance(right, np.ndarray) and left.dtype == right.dtype and left.tobytes() == right.tobytes()
    return type(left) is type(right) and left == right


@given(NUMBERS | ARRAYS | PRINTABLE, st.booleans())
def test_a_value_is_decoded_as_it_was_encoded(value: Any, binary: bool) -> None:
    decoded = decode(encode(value, binary=binary), binary=binary)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and not binary:
        np.testing.assert_array_equal(decoded, value)  # NaNs have one text
    else:
        assert same(decoded, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(int)10", 10),
        (" (double)0.5 ", 0.5),
        ("(unsigned char)7", 7),
        ("(char)x", "x"),
        ("(char[3])a,,,b", "a,b"),
        ("(char[2])a,b\n ", "ab"),
        ("(float)-inf", -math.inf),
        ("(float)1e3", 1000.0),
    ],
)
def test_values_as_others_write_them_are_read(text: str, value: Any) -> None:
    assert same(decode(text, binary=False), value)


def test_arrays_as_others_write_them_are_read() -> None:
    value = decode("(double[3])1.0, 2,3e0", binary=False)
    np.testing.assert_array_equal(value, np.array([1.0, 2.0, 3.0]))


def test_doubles_are_written_with_32_digits() -> None:
    assert encode(0.1, binary=False) == "(double)1.00000000000000005551115123125783e-01"
    assert encode(np.array([1, 2], np.int16), binary=False) == "(short[2])1,2"
    assert encode(5, binary=True) == "(int)BQAAAA=="
    assert encode(2**40, binary=False) == "(long)1099511627776"


@pytest.mark.parametrize(
    ("text", "binary", "said"),
    [
        ("5", False, "'5' does not begin with a type in parentheses, such as (int) or (double[3])"),
        ("(complex)5", False, "'(complex)5' does not begin with a type"),
        ("(int)five", False, "'five' are not values of that type"),
        ("(int)1_0", False, "'1_0' are not values of that type"),
        ("(int)\u0665", False, "'\u0665' are not values of that type"),
        ("(double)1_0.5", False, "'1_0.5' are not values of that type"),
        ("(float[2])inf,1e39", False, "'inf,1e39' are not values of that type"),
        ("(char)ab", False, "'ab' are not characters with commas between them"),
        ("(char)a,", False, "'a,' are not characters with commas between them"),
        ("(char[3])a;b;c", False, "'a;b;c' are not characters with commas between them"),
        ("(char)é", False, "a text with other than ASCII characters needs the mode binary"),
        ("(int)4294967296", False, "'4294967296' are not values of that type"),
        ("(int[3])1,2", False, "(int[3]) has 2 values"),
        ("(int)", False, "(int) has 0 values"),
        ("(int)%%", True, "it is no base64 of values of that type"),
        ("(int)BQAA", True, "it is no base64 of values of that type"),
    ],
)
def test_texts_that_are_no_values_are_told(text: str, binary: bool, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        decode(text, binary=binary)


@given(RECORDS, st.booleans())
def test_an_xml_stream_is_read_as_it_was_written(records: list[dict[str, Any]], binary: bool) -> None:
    file = io.BytesIO()
    xml_stream.write(records, file, binary=binary)
    file.seek(0)
    found = list(xml_stream.read(file, "x.xml"))
    assert [each.keys() for each in found] == [each.keys() for each in records]
    for left, right in zip(found, records, strict=True):
        for label in left:
            if isinstance(right[label], np.ndarray):
                np.testing.assert_array_equal(left[label], right[label])
            else:
                assert same(left[label], right[label])


XML = b"""\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>
<!-- two records -->
<record xmlns="snet-home.org" type="data" mode="textual" interface="C4SNet">
  <tag label="N">10</tag> <field label="A">(int)5</field> <tag label="valueless"/>
</record> <record type="data"><field label="A">(short[2])AQACAA==</field><btag label="b">3</btag></record>
<record type="terminate" /> <record type="data"/>
"""


def test_a_stream_ends_with_the_record_that_terminates_and_base64_is_the_default() -> None:
    first, second = xml_stream.read(io.BytesIO(XML), "x.xml")
    assert first == {"<N>": 10, "A": 5, "<valueless>": 0}
    assert second["A"].tolist() == [1, 2]
    assert second["<#b>"] == 3


def test_a_record_is_given_as_soon_as_it_is_there() -> None:
    end, begin = os.pipe()
    head, rest = XML.split(b" <record type=", 1)
    with open(end, "rb") as file, open(begin, "wb", buffering=0) as writer:  # noqa: PTH123
        records = xml_stream.read(file, "pipe")
        writer.write(head)
        assert next(records)["<N>"] == 10
        writer.write(b" <record type=" + rest)
        thread = threading.Thread(target=writer.close)
        thread.start()
        assert next(records)["<#b>"] == 3
        thread.join()


EACH_DECLARED = b"""<?xml version="1.0"?><record mode="textual"><tag label="N">1</tag></record>
<?xml version="1.0" ?>
<record mode="textual"><field label="a">(char[6])<![CDATA[<,?,x,m,l, ]]></field></record><?xml version="1.0"?>
<record type="terminate"/>"""


class ByteByByte(io.BytesIO):
    """A file that gives a byte at a time."""

    def read1(self, size: int | None = -1, /) -> bytes:
        """One byte, whatever is asked for."""
        return super().read1(1)


@pytest.mark.parametrize("file", [io.BytesIO, ByteByByte])
def test_each_record_of_a_stream_may_begin_with_a_declaration(file: type[io.BytesIO]) -> None:
    assert list(xml_stream.read(file(EACH_DECLARED), "x.xml")) == [{"<N>": 1}, {"a": "<?xml "}]  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"^x\.xml, line 3: this is not well-formed XML\.$"):
        list(xml_stream.read(file(b"<?xml version='1.0'?><record/>\n<?xml\n ?><record<"), "x.xml"))  # type: ignore[arg-type]


TYPED = """(int)10;(float)1.5;(char)x;(long)10;(short)-3;(unsigned short)3;(unsigned long)5;(long)1099511627776
(unsigned long)9223372036854775808;(double)2.0;(unsigned char)7;(char[1])x;(char[2])4,2;(unsigned int)4294967295"""


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("runtime", ["naive", "front", "threads"])
def test_values_leave_with_the_c_type_that_they_came_with(runtime: Any, binary: bool) -> None:
    types = re.findall(r"\(.*?\)", TYPED)
    fields = re.split("[;\n]", TYPED)
    text = "".join(f'<record mode="textual"><field label="a">{each}</field></record>' for each in fields)
    net = Net.parse("box f ((a) -> (a)); net X connect f .. [{a} -> {b = a}];")
    boxes = {"f": lambda a: (a,)}
    records = xml_stream.read(io.BytesIO(text.encode()), "x.xml")
    xml_stream.write(net.run(records, boxes, runtime=runtime), file := io.BytesIO(), binary=binary)
    assert re.findall(r">(\(.*?\))", file.getvalue().decode()) == types
    for left, right in zip(xml_stream.read(io.BytesIO(file.getvalue()), "x"), fields, strict=True):
        assert left["b"] == decode(right, binary=False)


@pytest.mark.parametrize("runtime", ["naive", "front", "threads"])
def test_fields_are_the_same_objects_and_tags_are_plain_integers(runtime: Any) -> None:
    values = [True, None, "x", 2**70, 1.5, np.float32(0.1), np.int8(3), np.bool_(True), b"x", math.nan]
    net = Net.parse("box f ((a, <t>) -> (a, <t>)); net X connect f .. [{a, <u>} -> {b = a, <u>}];")
    given_ = [{"a": each, "<t>": np.int16(1), "<u>": True} for each in values]
    made = list(net.run(given_, {"f": lambda a, t: (a, True)}, runtime=runtime))
    assert all(left["b"] is right for left, right in zip(made, values, strict=True))
    assert all((type(each["<t>"]), type(each["<u>"])) == (int, int) for each in made)


def xml_error(text: str) -> str:
    with pytest.raises(DataError) as raised:
        list(xml_stream.read(io.BytesIO(text.encode()), "x.xml"))
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<record>\n<tag", "x.xml, line 2: this is not well-formed XML."),
        ("<row/>", "x.xml, record 1: here stands <row>, and not <record>."),
        ('<record type="sync"/>', 'x.xml, record 1: records of type "sync" are not known.'),
        ('<record mode="odd"/>', 'x.xml, record 1: mode "odd" is not known.'),
        ("<record/><record><x/></record>", "x.xml, record 2: <x> is neither a tag nor a field with a label."),
        ("<record><tag>1</tag></record>", "x.xml, record 1: <tag> is neither a tag nor a field with a label."),
        ('<record><tag label="t">1.5</tag></record>', "x.xml, record 1: tag <t> is '1.5', and not an integer."),
        (
            '<record><tag label="t">1</tag><tag label="t">2</tag></record>',
            "x.xml, record 1: label <t> stands there twice.",
        ),
        (
            '<record mode="textual"><field label="a">(int)x</field></record>',
            "x.xml, record 1: field a: 'x' are not values of that type.",
        ),
        (
            '<record interface="SAC4SNet"><field label="a">x</field></record>',
            "x.xml, record 1: field a has the interface SAC4SNet: only C4SNet is known.",
        ),
        (
            '<record><tag label="t">2147483648</tag></record>',
            "x.xml, record 1: tag <t> is 2147483648: tags are integers of 32 bits.",
        ),
        ('<record><tag label="t">1_0</tag></record>', "x.xml, record 1: tag <t> is '1_0', and not an integer."),
        (
            f'<record><tag label="t">{"9" * 5000}</tag></record>',
            f"x.xml, record 1: tag <t> is '{'9' * 199}[...]: tags are integers of 32 bits.",
        ),
        (
            f'<record mode="textual"><field label="a">(int[2500])x{",1" * 2499}</field></record>',
            f"x.xml, record 1: field a: 'x{',1' * 99}[...] are not values of that type.",
        ),
        ('<record><tag label="t">1<b/>2</tag></record>', "x.xml, record 1: within <tag> stands <b>."),
        ("<record>lost</record>", "x.xml, record 1: 'lost' stands outside of tags and fields."),
        ("lost<record/>", "x.xml: between records stands 'lost'."),
        ("<record/>\nlost <record/>", "x.xml: between records stands 'lost'."),
        ("<record/>lost", "x.xml: between records stands 'lost'."),
        ("<record/>\n<!-- <record/>", "x.xml, line 2: this is not well-formed XML."),
        ("<record/><?xml version", "x.xml, line 1: this is not well-formed XML."),
        ('<?xml version="1.0" encoding="base64"?><record/>', "x.xml: base64 is no encoding that is known."),
        ('<?xml version="1.0" encoding="ascii"?><record/>ü', "x.xml, after record 0: this is no text in ascii."),
        (
            '<?xml version="1.0" encoding="utf-16"?><record/>',
            "x.xml, after record 0: this is no text in the encoding that it declares.",
        ),
        ('<?xml version="1.0" encoding="klingon"?><record/>', "x.xml: klingon is no encoding that is known."),
    ],
)
def test_what_is_wrong_with_a_stream_is_told(text: str, sentence: str) -> None:
    assert xml_error(text) == sentence


@pytest.mark.parametrize(
    "value", [[1, 2], {"x": 1}, np.zeros((2, 2)), 2**70, 1j, "ä", True, np.array([True]), None, b"x"]
)
def test_what_has_no_form_in_xml_is_told(value: Any) -> None:
    with pytest.raises(DataError, match=r"^record 2 of the output: field a cannot be written, .*\.$"):
        xml_stream.write([{"a": 1}, {"a": value}], file := io.BytesIO())
    assert file.getvalue().endswith(b"</record>\n")  # of a record that cannot be written there is nothing


def test_json_lines_are_read_as_they_were_written() -> None:
    records = [{"<n>": 1, "a": [1.5, "x"], "<#b>": 2}, {}, {"a": {"deep": None}}]
    file = io.BytesIO()
    json_lines.write([{**records[0], "a": [np.float64(1.5), "x"]}, *records[1:]], file)
    assert list(json_lines.read(io.BytesIO(file.getvalue() + b"\n"), "x")) == records
    file = io.BytesIO()
    json_lines.write([{"a": np.arange(3)}], file)
    assert file.getvalue() == b'{"a": [0, 1, 2]}\n'


def test_what_is_wrong_with_json_lines_is_told() -> None:
    for text, sentence in (
        (b"{}\n{", "x, line 2: this is no JSON."),
        (b"[1]", "x, line 1: a record is a JSON object, by label."),
        (b'\n{"<n>": 1.5}', "x, line 2: tag <n> is 1.5: tags are integers of 32 bits."),
        (b'{"<n>": 2147483648}', "x, line 1: tag <n> is 2147483648: tags are integers of 32 bits."),
        (b'{"a": 1, "a": 2}', "x, line 1: a stands there twice."),
        (
            b'{"a": ' + b"9" * 5000 + b"}",
            "x, line 1: an integer has 5,000 digits: more than 4,300 are not read.",
        ),
        (b'{"a": -1e999}', "x, line 1: '-1e999' is too large for a number of 64 bits."),
        (b'{"a": ' + b"[" * 10**5 + b"]" * 10**5 + b"}", "x, line 1: this is nested too deep to be read."),
    ):
        with pytest.raises(DataError) as raised:
            list(json_lines.read(io.BytesIO(text), "x"))
        assert str(raised.value) == sentence
    for value in (math.nan, object()):
        with pytest.raises(DataError, match=r"^record 1 of the output cannot be written as JSON: "):
            json_lines.write([{"a": value}], io.BytesIO())

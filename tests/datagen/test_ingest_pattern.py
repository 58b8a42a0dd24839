"""A pattern of times means what it means to Spark and Java, whose letters it has; what it cannot mean is refused."""

from __future__ import annotations

import datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest.pattern import Pattern

# Spark's pattern, Python's, and the parts that Python's leaves out.
PATTERNS = [
    ("yyyy-MM-dd HH:mm:ss", "%Y-%m-%d %H:%M:%S"),
    ("dd/MM/yyyy HH:mm", "%d/%m/%Y %H:%M"),
    ("yyyyMMddHHmmss", "%Y%m%d%H%M%S"),
    ("yyyy-MM-dd", "%Y-%m-%d"),
    ("MM/dd/yy hh:mm:ss a", "%m/%d/%y %I:%M:%S %p"),
    ("EEE, dd MMM yyyy HH:mm:ss", "%a, %d %b %Y %H:%M:%S"),
    ("EEEE d MMMM yyyy, HH 'o''clock' mm", "%A %d %B %Y, %H o'clock %M"),
    ("yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", "%Y-%m-%dT%H:%M:%S.%f+00:00"),
    ("yyyy-MM-dd'T'HH:mm:ssZ", "%Y-%m-%dT%H:%M:%S+0000"),
    ("yyyy-MM-dd[ HH:mm[:ss]]", "%Y-%m-%d %H:%M"),
    ("uuuu.MM.dd (HH)", "%Y.%m.%d (%H)"),
]
FROM, TO = datetime.datetime(1900, 1, 1), datetime.datetime(2199, 12, 31)


def parsed(pattern: str, *texts: str | None) -> list[int | None]:
    found: list[int | None] = Pattern.compiled(pattern).seconds(pa.array(texts, pa.string())).to_pylist()
    return found


@given(st.sampled_from(PATTERNS), st.datetimes(FROM, TO))
def test_what_python_writes_in_a_pattern_is_read_to_the_second(
    patterns: tuple[str, str], moment: datetime.datetime
) -> None:
    ours, pythons = patterns
    if "yyyy" not in ours:
        moment = moment.replace(day=min(moment.day, 28))  # there need be no 29 February a century on
    text = moment.strftime(pythons)
    wanted = datetime.datetime.strptime(text, pythons).replace(microsecond=0, tzinfo=datetime.UTC)
    if "yyyy" not in ours and "uuuu" not in ours:  # Python has 69 to 99 in the last century
        wanted = wanted.replace(year=2000 + wanted.year % 100)
    assert parsed(ours, text, None, text + "!", "!" + text) == [int(wanted.timestamp()), None, None, None]


def test_a_day_of_the_week_must_be_that_of_the_date() -> None:
    assert parsed("EEE yyyy-MM-dd", "Wed 2020-01-01", "Thu 2020-01-01", "wed 2020-01-01")[1] is None
    assert parsed("EEE yyyy-MM-dd", "Wed 2020-01-01") == parsed("yyyy-MM-dd", "2020-01-01")


TEXTS = {
    "yyyy-MM-dd HH:mm:ss": [
        "2020-02-29 00:00:00",
        "2019-02-29 00:00:00",
        "2020-13-01 00:00:00",
        "2020-04-31 00:00:00",
        "2020-04-00 00:00:00",
        "2020-01-01 24:00:00",
        "2020-01-01 23:60:00",
        "2020-01-01 23:59:60",
        "2020-1-1 1:1:1",
        " 2020-01-01 00:00:00",
        "2020-01-01 00:00:00 ",
        "2020-01-01T00:00:00",
        "1600-01-01 00:00:00",
    ],
    "d/M/yyyy H:m:s": ["1/1/2020 1:1:1", "01/01/2020 01:01:01", "31/12/1999 23:59:59"],
    "dd-MMM-yyyy": ["01-jan-2020", "01-JAN-2020", "01-Jan-2020", "01-January-2020", "31-Sep-2020"],
    "d MMMM yyyy": ["1 march 2020", "31 May 2020", "1 Mar 2020"],
    "h:mm a d.M.yy": ["12:00 AM 1.1.20", "12:00 pm 1.1.20", "1:30 PM 1.1.99", "0:30 AM 1.1.20", "13:00 PM 1.1.20"],
    "yyyy-MM-dd HH:mm:ss.SSS": ["2020-01-01 00:00:00.5", "2020-01-01 00:00:00.999", "2020-01-01 00:00:00.9999"],
    "yyyy-MM-dd HHX": ["2020-01-01 00Z", "2020-01-01 00+01", "2020-01-01 00-0130", "2020-01-01 00+01:00"],
    "yyyy-MM-dd HHXXX": ["2020-01-01 00Z", "2020-01-01 00+01:00", "2020-01-01 00-11:30", "2020-01-01 00+0100"],
    "yyyy-MM-dd HHxx": ["2020-01-01 00+0000", "2020-01-01 00Z", "2020-01-01 00-0930", "2020-01-01 00+1900"],
    "yyyy-MM-dd HHZ": ["2020-01-01 00+0530", "2020-01-01 00Z"],
    "yyyy-MM-dd[' at 'HH:mm]": ["2020-01-01", "2020-01-01 at 10:30", "2020-01-01 at "],
}


def test_spark_reads_the_same(one_spark: Any) -> None:
    from pyspark.sql import functions as F

    for pattern, texts in TEXTS.items():
        frame = one_spark.createDataFrame([(i, text) for i, text in enumerate(texts)], "i int, text string")
        read = frame.select("i", F.unix_seconds(F.try_to_timestamp("text", F.lit(pattern))).alias("at"))
        wanted = [row["at"] for row in read.orderBy("i").collect()]
        assert dict(zip(texts, parsed(pattern, *texts), strict=True)) == dict(zip(texts, wanted, strict=True)), pattern


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("yyyy-MM-dd QQ", "QQ is not known"),
        ("yyyyy-MM-dd", "yyyyy is not known"),
        ("yyyy-MM-dd VV", "VV is not known"),
        ("yyyy-MM-dd 'T", "a quote is not closed"),
        ("yyyy-MM-dd [HH", "a bracket is without its partner"),
        ("yyyy-MM-dd HH]", "a bracket is without its partner"),
        ("HH:mm:ss", "it must tell the year once"),
        ("yyyy-dd", "it must tell the month once"),
        ("yyyy-MM", "it must tell the day once"),
        ("yyyy yy-MM-dd", "it must tell the year once"),
        ("yyyy-MM-dd dd", "the day is there twice"),
        ("yyyy-MM-dd hh:mm", "h and a go together"),
        ("yyyy-MM-dd HH:mm a", "h and a go together"),
        ("%Y-%m-%d", "Y is not known"),
        ("", "it must tell the year once"),
    ],
)
def test_a_pattern_that_tells_no_time_is_refused(pattern: str, words: str) -> None:
    with pytest.raises(DatagenError) as refused:
        Pattern.compiled(pattern)
    assert words in str(refused.value)
    assert "write it like 'yyyy-MM-dd HH:mm:ss'" in str(refused.value)

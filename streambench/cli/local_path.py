"""The type of every option and argument that names a file or a folder: a place on this machine, never an address."""

from __future__ import annotations

import re
from typing import Any

import click

from streambench.cli.comma_list import CommaList
from streambench.errors import OptionError

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""How `s3://bucket`, `hdfs:/folder` and `file:///folder` begin; `./s3:/folder` names a folder all the same."""


class LocalPath(click.Path):
    """As ``click.Path``; the address of an object store would become a folder of that name here, and is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; a usage error for an address."""
        if isinstance(value, str):
            try:
                _local(value)
            except OptionError as problem:
                self.fail(str(problem), param, ctx)
        return super().convert(value, param, ctx)


def _local(text: str) -> str:
    if ADDRESS.match(text):
        raise OptionError(f"{text} is an address, not a path; give the path of the file system where it is mounted.")
    return text


parquet_files = CommaList("FILES", _local, bool, "Parquet files, with commas")
"""Of a side of a join, or of a column: files and folders of them."""

"""The type of every option and argument that names a file or a folder: a UTF-8 name on this machine, no address."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import Any

import click

from streambench.data_folder import require_utf8
from streambench.errors import DataError, OptionError
from streambench.lab.cli.comma_list import CommaList

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""How `s3://bucket`, `hdfs:/folder` and `file:///folder` begin; `./s3:/folder` names a folder all the same."""


class LocalPath(click.Path):
    """As ``click.Path``; refuses the address of an object store, which would become a folder of that name here."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; a usage error for an address, no name, a link to itself, or a name that Arrow cannot open."""
        if value == "":  # of a shell's variable that is not set; it would be the current folder
            self.fail("the name is empty; give a path, or . for the current folder.", param, ctx)
        if isinstance(value, str):
            try:
                _local(value)
            except OptionError as problem:
                self.fail(str(problem), param, ctx)
        return super().convert(value, param, ctx)


def _local(text: str) -> str:
    if ADDRESS.match(text):
        raise OptionError(f"{text} is an address, not a path; give the path of the file system where it is mounted.")
    try:
        require_utf8(Path(text))
    except DataError as problem:
        raise OptionError(str(problem)) from None
    if _turns_in_circles(text):
        raise OptionError(f"{text} is, or lies behind, a symbolic link that leads back to itself; remove the link.")
    return text


def _turns_in_circles(text: str) -> bool:
    try:
        Path(text).stat()
    except OSError as problem:
        return problem.errno == errno.ELOOP
    except ValueError:  # a zero byte, which the command itself refuses
        return False
    return False


class PathList(CommaList):
    """Paths with commas between them; refuses a path that is there and has a comma itself."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        """The paths. Raises OptionError."""
        if isinstance(value, str) and "," in value and os.path.lexists(value):
            raise OptionError(f"{value} has a comma in its name, and commas part names here: name a link without one.")
        return super().convert(value, param, ctx)


parquet_files = PathList("FILES", _local, bool, "Parquet files, with commas")
"""Of a side of a join, or of a column: files and folders of them."""

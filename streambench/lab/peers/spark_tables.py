"""Spark on this machine for peers: started with so many threads, and a query's tables in it."""

from __future__ import annotations

import shutil
from typing import Any

from streambench.lab.data.catalog import Catalog
from streambench.lab.peers import columns
from streambench.lab.peers.peer import Asked, lacks


def missing() -> str | None:
    """What Spark lacks here."""
    if shutil.which("java") is None:
        return "Java is not installed (sudo apt-get install -y default-jre-headless)"
    return lacks("pyspark")


def started(asked: Asked) -> Any:
    """A session with a partition of every shuffle for each thread: there are no other machines."""
    from streambench.datagen import spark

    session = spark.session(f"local[{asked.workers}]", "streambench bench peers")
    session.conf.set("spark.sql.shuffle.partitions", str(asked.workers))
    return session


def frames(session: Any, asked: Asked) -> list[Any]:
    """The columns of the query's tables, the stream first, not read yet."""
    return [
        session.read.parquet(*map(str, files.files)).select(*read)
        for files, read in columns.tables(Catalog.open(asked.data), asked.query).values()
    ]

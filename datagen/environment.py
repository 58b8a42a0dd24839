"""What Spark takes from the environment, checked before it starts: with the wrong one it fails late, or waits for ever.

Java, the Spark of SPARK_HOME, the workers' Python, and names of folders that Java's encoding lacks.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from streambench.datagen.errors import DatagenError

SPARK_HOME = "SPARK_HOME"
WORKERS_PYTHON = "PYSPARK_PYTHON"
SUBMIT_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
INSTALL_JAVA = "sudo apt-get install -y default-jre-headless"
JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
OLDEST_JAVA = 17
_LOCALE, _UTF_8 = "LC_ALL", "C.UTF-8"
_SECONDS = 10.0  # for a program to tell its version


@contextmanager
def fit_for_spark(master: str) -> Iterator[None]:
    """Let Spark be started inside, by a Java that names files in UTF-8 wherever the system has such a locale.

    Raises DatagenError, before anything is started, for what would make Spark fail or wait.
    """
    encoding = require_java()
    _require_spark()
    _require_own_spark()
    _require_arguments()
    if master.startswith("local"):  # executors of a cluster may have it where this machine has not
        _require_python(os.environ.get(WORKERS_PYTHON) or sys.executable)
    before = os.environ.get(_LOCALE)
    try:
        if not _is_utf_8(encoding):
            os.environ[_LOCALE] = _UTF_8
            encoding = require_java()
        for what, folder in (("the temporary folder (TMPDIR)", tempfile.gettempdir()), ("this folder", Path.cwd())):
            require_name(folder, encoding, what)
        yield
    finally:
        os.environ.pop(_LOCALE, None)
        if before is not None:
            os.environ[_LOCALE] = before


def require_java() -> str:
    """The encoding in which Java names files. Raises DatagenError, with what to type, without a Java that is fit."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None or not Path(java).exists():
        where = f"JAVA_HOME is {home}, which holds no bin/java" if home else "none was found"
        raise DatagenError(f"Spark needs Java {OLDEST_JAVA} or newer and {where}: type `{INSTALL_JAVA}`.")
    options = [name for name in JAVA_OPTIONS if os.environ.get(name)]
    remedy = f"unset {' and '.join(options)}, or " if options else ""
    remedy += f"type `{INSTALL_JAVA}`" + (", and unset JAVA_HOME" if home else "")
    output = _told([java, "-XshowSettings:properties", "-version"], remedy)
    release = re.search(r'version "(\d+)', output)
    if release is not None and int(release.group(1)) < OLDEST_JAVA:
        raise DatagenError(f"Spark needs Java {OLDEST_JAVA} or newer and {java} is Java {release.group(1)}: {remedy}.")
    encoding = re.search(r"sun\.jnu\.encoding = (\S+)", output)
    return encoding.group(1) if encoding is not None else "utf-8"


def require_name(path: str | Path, encoding: str, what: str = "the folder") -> None:
    """Raise DatagenError for a path that Java, in its ``encoding``, would take for another one."""
    text = str(Path(path).absolute())
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        raise DatagenError(
            f"Spark's Java names files in {encoding}, which lacks characters of {what} {text!a}: choose a folder of "
            "plain letters."
        ) from None


def _require_spark() -> None:
    """Python's part of Spark and Java's must be of one release."""
    import pyspark

    home = os.environ.get(SPARK_HOME)
    if home is None:
        return
    jars = sorted((Path(home) / "jars").glob("spark-core_*.jar"))
    remedy = f"unset it, and the Spark {pyspark.__version__} of this Python is taken"
    if not jars or not (Path(home) / "bin" / "spark-submit").is_file():
        raise DatagenError(f"{SPARK_HOME} is {home or 'empty'}, which holds no Spark: {remedy}.")
    version = jars[0].stem.partition("-")[2].partition("-")[2]
    if version.split(".")[:2] != pyspark.__version__.split(".")[:2]:
        raise DatagenError(f"{SPARK_HOME} is {home}, a Spark {version}: {remedy}.")


def _require_own_spark() -> None:
    """With these PySpark looks for a Spark that somebody else has started."""
    remote, gateway = os.environ.get("SPARK_REMOTE"), os.environ.get("PYSPARK_GATEWAY_PORT")
    if remote:
        raise DatagenError(f"SPARK_REMOTE is {remote}, and streambench starts a Spark of its own: unset it.")
    if gateway and not os.environ.get("PYSPARK_GATEWAY_SECRET"):
        raise DatagenError(f"PYSPARK_GATEWAY_PORT is {gateway}, without PYSPARK_GATEWAY_SECRET: unset it.")


def _require_arguments() -> None:
    """Where spark-submit ends at once and without an error, PySpark waits for it for ever."""
    text = os.environ.get(SUBMIT_ARGUMENTS, "pyspark-shell")
    try:
        words = shlex.split(text)
    except ValueError:  # a quote that nothing closes
        words = []
    if words[-1:] != ["pyspark-shell"] or {"--version", "--help", "-h", "--kill", "--status"} & set(words):
        raise DatagenError(
            f"{SUBMIT_ARGUMENTS} is {text!r}, with which Spark does not start: unset it, or let it end in "
            "pyspark-shell and have options for a start only."
        )


def _require_python(named: str) -> None:
    if named == sys.executable:
        return
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    remedy = f"unset it, or let it name a Python {ours} that has streambench"
    program = shutil.which(named)
    if program is None:
        raise DatagenError(f"{WORKERS_PYTHON} is {named}, which is no program on this machine: {remedy}.")
    theirs = _told([program, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], remedy).strip()
    if theirs != ours:
        raise DatagenError(f"{WORKERS_PYTHON} is {named}, a Python {theirs}, and streambench runs on {ours}: {remedy}.")


def _told(command: list[str], remedy: str) -> str:
    """What a program says of itself."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except OSError as problem:
        raise DatagenError(f"{command[0]} cannot be executed ({problem.strerror}): {remedy}.") from None
    except subprocess.TimeoutExpired:
        raise DatagenError(f"{command[0]} gave no version within {_SECONDS:.0f} s: {remedy}.") from None
    if done.returncode:
        said = [line.strip() for line in done.stdout.splitlines() if line.strip()] or ["without a word"]
        raise DatagenError(f"{command[0]} does not run ({said[-1]}): {remedy}.")
    return done.stdout


def _is_utf_8(encoding: str) -> bool:
    return encoding.lower().replace("-", "") == "utf8"

"""streambench: an ordered multicore stream-processing runtime. What it offers is listed in ``__init__.pyi``.

>>> import streambench
>>> table = streambench.TableSource([range(6)], ("number",))
>>> pipeline = streambench.Pipeline([table, streambench.TableSink()])
>>> pipeline.run(workers=2).tuples
6
"""

from streambench.lazy_names import importer, names_of

_names = names_of(__file__)
__all__ = sorted([*_names, "get_include"])
__getattr__ = importer(__name__, _names)


def get_include() -> str:
    """Return the ``include_path`` under which ``cimport streambench.pyx.operator`` and the like resolve."""
    from pathlib import Path

    return str(Path(__file__).resolve().parent.parent)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

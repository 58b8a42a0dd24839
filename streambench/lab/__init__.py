"""The laboratory: data and queries, what is right, what measures, results and their views, peers, the command line.

It uses the library; nothing of the library uses it. What it offers is listed in ``__init__.pyi``.

>>> import streambench.lab
>>> result = streambench.lab.run("q1", data="data/sf0.01", workers=2)    # doctest: +SKIP
>>> result.throughput, result.latency["p99"], result.answer              # doctest: +SKIP
"""

from streambench.execution.engine_registry import register
from streambench.lazy_names import importer, names_of

_names = names_of(__file__)
__all__ = sorted(_names)
__getattr__ = importer(__name__, _names)

register("schemes", "streambench.lab.schemes", "make")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

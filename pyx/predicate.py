"""The base of a join's own predicate. For users: see ``streambench.pyx.join.predicate``."""

from streambench.pyx.join.predicate import Predicate

__all__ = ["Predicate"]

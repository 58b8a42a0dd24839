"""Random draws as Spark SQL: each a pure function of the seed, what is drawn, and the row's key.

So a value never depends on which task computes it. Only hashing, whole numbers and the four basic operations
on doubles are used: these give the same bits on every machine, which library functions such as sine need not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from streambench.datagen import model


def event_time(prefix: str) -> tuple[str, str]:
    """The day and the second of the day of a row's `second`, which counts from the stream's beginning."""
    return (
        f"{model.FIRST_DATE_SK}L + second div 86400L AS {prefix}_date_sk",
        f"pmod(second, 86400L) AS {prefix}_time_sk",
    )


@dataclass(frozen=True)
class Draws:
    """Draws for one table under one seed; `what` names the drawn quantity, `key` is a bigint SQL expression."""

    seed: int
    table: str

    def bits(self, what: str, key: str) -> str:
        """64 random bits as a bigint."""
        digest = hashlib.sha256(f"{self.seed}/{self.table}/{what}".encode()).digest()
        stream = int.from_bytes(digest[:8], "big") >> 1
        return f"xxhash64({stream}L, {key})"

    def uniform(self, what: str, key: str) -> str:
        """A double in [0, 1): 52 bits, so that times a whole number it stays below that number."""
        return f"(shiftrightunsigned({self.bits(what, key)}, 12) * 2.220446049250313E-16D)"

    def below(self, what: str, key: str, count: int) -> str:
        """A whole number from 0 to count - 1."""
        return f"floor({self.uniform(what, key)} * {float(count)!r}D)"

    def between(self, what: str, key: str, span: tuple[int, int]) -> str:
        """A whole number from a span, both ends included."""
        return f"({span[0]} + {self.below(what, key, span[1] - span[0] + 1)})"

    def normal(self, what: str, key: str) -> str:
        """A nearly normal double (mean 0, standard deviation 1): the sum of twelve uniform ones."""
        parts = [
            f"(shiftrightunsigned({self.bits(f'{what} {word}', key)}, {shift}) & 65535L)"
            for word in range(3)
            for shift in (0, 16, 32, 48)
        ]
        return f"((({' + '.join(parts)}) - 393210L) / 65536.0D)"

    def choice(self, what: str, key: str, values: Sequence[str]) -> str:
        """One of some strings, each as likely."""
        listed = ", ".join(f"'{value}'" for value in values)
        return f"element_at(array({listed}), cast(1 + {self.below(what, key, len(values))} AS int))"

    def item(self, key: str, sizes: model.Sizes) -> str:
        """An item: 5 % the four hot ones, 40 % normal around the middle and then permuted, 55 % any."""
        n, (a, b) = sizes.items, model.item_permutation(sizes.items)
        u = self.uniform("item kind", key)
        hot = model.HOT_ITEMS[1] - model.HOT_ITEMS[0] + 1
        centre = self._near_middle("item place", key, n, sizes.item_sd)
        return (
            f"CASE WHEN {u} < {model.HOT_SHARE!r}D "
            f"THEN {model.HOT_ITEMS[0]}L + {self.below('hot item', key, hot)} "
            f"WHEN {u} < {model.HOT_SHARE + model.NORMAL_ITEM_SHARE!r}D THEN pmod({a}L * {centre} + {b}L, {n}L) "
            f"ELSE {self.below('item', key, n)} END"
        )

    def customer(self, key: str, sizes: model.Sizes) -> str:
        """A customer: half of the time any, half of the time normal around the middle."""
        return (
            f"CASE WHEN {self.uniform('customer kind', key)} < {model.NORMAL_CUSTOMER_SHARE!r}D "
            f"THEN {self._near_middle('customer place', key, sizes.customers, sizes.customer_sd)} "
            f"ELSE {self.below('customer', key, sizes.customers)} END"
        )

    def _near_middle(self, what: str, key: str, count: int, spread: float) -> str:
        place = f"floor({count / 2!r}D + {spread!r}D * {self.normal(what, key)})"
        return f"least({count - 1}L, greatest(0L, {place}))"

    def moment(self, key: str, count: int, days: int) -> str:
        """Second of the stream for row `key` of `count`: rises strictly with the key, save for rounding to seconds.

        The key's slot leaves a tenth unused, so that neighbours never change places.
        """
        y = f"(({key} + 0.9D * {self.uniform('moment', key)}) * {days / count!r}D)"
        x = f"({y} - floor({y}))"
        within = f"({x} + {model.DAYLIGHT!r}D * ({x} * (1.0D - {x}) * (1.0D - 2.0D * {x})))"
        return f"(least({days - 1}L, floor({y})) * 86400L + least(86399L, floor({within} * 86400.0D)))"

"""Where simulated cores stand: in sockets, near those of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from streambench.errors import OptionError
from streambench.pyx.simulate.simulated_cores import MOST_CORES


@dataclass(frozen=True)
class Topology:
    """``sockets`` of ``cores`` each. Raises OptionError for more cores than can be simulated."""

    sockets: int = 1
    cores: int = MOST_CORES

    def __post_init__(self) -> None:
        if self.sockets < 1 or self.cores < 1 or self.sockets * self.cores > MOST_CORES:
            raise OptionError(f"a `topology` has 1 to {MOST_CORES} cores in all, not {self}.")

    def __str__(self) -> str:
        return f"{self.sockets}x{self.cores}"

    @classmethod
    def of(cls, text: str) -> Topology:
        """That of ``2x64``: two sockets of 64 cores."""
        found = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text.strip())
        if found is None:
            raise OptionError(f"`topology` is sockets times cores, such as 2x64, not {text!r}.")
        return cls(int(found[1]), int(found[2]))

    def require(self, cores: int) -> None:
        """Raises OptionError where it has fewer."""
        if not 1 <= cores <= self.sockets * self.cores:
            raise OptionError(
                f"`cores` are from 1 to {self.sockets * self.cores} in a `topology` of {self}, not {cores}."
            )

"""Where simulated cores stand: in sockets, and there in clusters, near those of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from streambench.errors import OptionError
from streambench.pyx.simulate.simulated_cores import MOST_CORES


@dataclass(frozen=True)
class Topology:
    """``sockets`` of ``cores`` each, which stand in so many ``clusters`` of equal size, such as those of cores that
    share their last cache. Each socket has memory of its own. Raises OptionError for more cores than can be
    simulated."""

    sockets: int = 1
    cores: int = MOST_CORES
    clusters: int = 1

    def __post_init__(self) -> None:
        if min(self.sockets, self.clusters, self.cores) < 1 or self.sockets * self.cores > MOST_CORES:
            raise OptionError(f"a `topology` has 1 to {MOST_CORES} cores in all, not {self}.")
        if self.cores % self.clusters:
            raise OptionError(f"{self.cores} cores of a socket are not {self.clusters} clusters of equal size.")

    def __str__(self) -> str:
        if self.clusters == 1:
            return f"{self.sockets}x{self.cores}"
        return f"{self.sockets}x{self.clusters}x{self.per_cluster}"

    @property
    def per_cluster(self) -> int:
        """Cores of a cluster."""
        return self.cores // max(1, self.clusters)

    @classmethod
    def of(cls, text: str) -> Topology:
        """That of ``2x64``: two sockets of 64 cores; of ``2x8x8``: in each of them 8 clusters of 8."""
        match = re.fullmatch(r"(\d{1,4})x(?:(\d{1,4})x)?(\d{1,4})", text.strip())
        if match is None:
            raise OptionError(
                "`topology` is sockets times cores, such as 2x64, or sockets times clusters times cores, such as "
                f"2x8x8, not {text!r}."
            )
        clusters = int(match[2] or 1)
        return cls(int(match[1]), clusters * int(match[3]), clusters)

    def require(self, cores: int) -> None:
        """Raises OptionError where it has fewer."""
        if not 1 <= cores <= self.sockets * self.cores:
            raise OptionError(
                f"`cores` are from 1 to {self.sockets * self.cores} in a `topology` of {self}, not {cores}."
            )

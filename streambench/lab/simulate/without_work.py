"""Parametric pipelines that compute nothing: simulated, their work takes the time of a profile without being done."""

from __future__ import annotations

from streambench.lab.workloads.micro import MicroWorkload


class WithoutWork(MicroWorkload):
    """The same stream, keys and outputs for each tuple, but no round of computation."""

    @property
    def rounds(self) -> tuple[int, ...]:
        """None."""
        return (0,) * len(self.spec.operators)

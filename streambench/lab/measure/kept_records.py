"""What a bench has measured, by key: that of earlier calls of its journal first; what is added is on disk at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from streambench.lab.host import interrupts
from streambench.lab.record import results
from streambench.lab.record.journal import Journal, Memory, Record

RUN = "run"
Report = Callable[[str, float], None]
"""Called with what is being done and the fraction of the whole that is done."""


class KeptRecords:
    """Records by step and key. Those of step ``run`` hold the runs; what else has to be known has a step of its own."""

    def __init__(self, journal: Journal | Memory) -> None:
        self._journal = journal
        self._kept: dict[tuple[str, str], Record] = {
            (each["step"], each["key"]): each for each in journal.records if "key" in each
        }

    def run(self, key: str, measure: Callable[[], Record]) -> Record:
        """The run of ``key``, of now or of an earlier call, with the digits that a result has."""
        return self.step(RUN, key, measure)

    def step(
        self, step: str, key: str, measure: Callable[[], Record], warn: Callable[[Record], list[str]] | None = None
    ) -> Record:
        """The same of another step. ``warn``: sentences on what was measured, which the document is to hold."""
        if (step, key) not in self._kept:
            measured = measure()
            record: Record = {"step": step, "key": key, step: results.plain(measured) if step == RUN else measured}
            record |= {"warnings": warn(record[step])} if warn else {}
            with interrupts.held():  # what is on disk is kept: a message that counts must not say otherwise
                self._journal.append(record)
                self._kept[step, key] = record
        return dict(self._kept[step, key][step])

    def warn(self, warnings: Sequence[str]) -> None:
        """Sentences on the machine in this call, which the document is to hold."""
        self._journal.append({"step": "machine", "warnings": list(warnings)})

    def kept(self, step: str, key: str) -> Record | None:
        """The record of an earlier call or of before; None where there is none."""
        record = self._kept.get((step, key))
        return None if record is None else dict(record[step])

    def of_step(self, step: str) -> dict[str, Record]:
        """All records of a step, by key."""
        return {key: dict(each[step]) for (name, key), each in self._kept.items() if name == step}

    def count(self, *steps: str) -> int:
        """How many records of these steps there are."""
        return sum(step in steps for step, _ in self._kept)

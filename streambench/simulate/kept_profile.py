"""A profile small enough to be kept with a result, so that what was simulated can be simulated again.

Of each distribution of costs there are ``STRATA`` rows: its pieces by what they took, in strata of equal size, and of
each the mean. So the mean is that of the profile, and the spread is, but for what differs within a stratum.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from streambench.errors import StreambenchError
from streambench.execution.settled import Settled
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.costs import Costs
from streambench.simulate.profile import Profile, groups, pieces_of
from streambench.workloads.micro import MicroWorkload
from streambench.workloads.own_workload import OwnWorkload
from streambench.workloads.workload import Workload

STRATA = 16
COLUMNS = 6  # kind, place, tuples, ns before, ns during, pieces
OF_OPERATORS = (Work.APPLY, Work.PROCESS)

Rows = npt.NDArray[np.float32]


@dataclass(frozen=True)
class KeptProfile:
    """``rows`` of kind, place, tuples, ns before, ns during, and for how many pieces of work each stands.

    ``tuples`` of the stream were worked on in ``seconds``; ``interrupted`` pieces were left out. ``rescaled``: whether
    what operators take was changed since.
    """

    rows: Rows
    tuples: int
    seconds: float
    interrupted: int
    rescaled: bool = False

    @property
    def pieces(self) -> int:
        """Pieces of work in all."""
        return round(float(self.rows[:, 5].sum()))

    @property
    def digest(self) -> str:
        """What tells profiles apart."""
        return hashlib.sha256(self.rows.tobytes()).hexdigest()[:12]

    @cached_property
    def profile(self) -> Profile:
        """What a simulated machine is fed with."""
        work = np.ascontiguousarray(self.rows[:, :3].astype(np.int64))
        spans = np.ascontiguousarray(self.rows[:, 3:5].astype(np.float64))
        return Profile(Costs(work, spans), self.pieces, self.seconds, self.interrupted)

    def per_tuple(self) -> dict[int, float]:
        """By place of operator: ns at work for each tuple of the stream, without what the runtime takes for it."""
        found: dict[int, float] = {}
        for kind, place, _, _, during, pieces in self.rows.astype(np.float64).tolist():
            if kind in OF_OPERATORS:
                found[int(place)] = found.get(int(place), 0.0) + during * pieces / self.tuples
        return found

    def whole(self) -> float:
        """Ns of one worker for each tuple of the stream, all that the runtime takes included."""
        rows = self.rows.astype(np.float64)
        return float(((rows[:, 3] + rows[:, 4]) * rows[:, 5]).sum()) / self.tuples

    def scaled(self, by: Mapping[int, float]) -> KeptProfile:
        """The same, in which the operators at these places take so many times as long."""
        rows = self.rows.copy()
        for place, factor in by.items():
            rows[(rows[:, 1] == place) & np.isin(rows[:, 0], OF_OPERATORS), 4] *= factor
        return replace(self, rows=rows, rescaled=True)

    def text(self) -> str:
        """The rows as text, for a result file."""
        return base64.b64encode(zlib.compress(self.rows.T.tobytes(), 9)).decode("ascii")


def kept(workload: Workload | OwnWorkload | MicroWorkload, settled: Settled) -> KeptProfile:
    """Run ``workload`` by one worker and keep its profile."""
    core, work, spans, interrupted = pieces_of(workload, settled)
    rows = strata(work, spans)
    rows[:, 5] *= core.pieces / max(1, len(work))  # of a long run not every piece was kept
    return KeptProfile(rows, workload.rows * settled.laps, core.seconds, interrupted)


def strata(work: npt.NDArray[np.int64], spans: npt.NDArray[np.float64]) -> Rows:
    """The rows of a profile's pieces: for each kind, operator and size, to a factor of two, the means of its strata."""
    group = groups(work)
    rows: list[tuple[float, ...]] = []
    for number in range(int(group.max(initial=-1)) + 1):
        members = np.flatnonzero(group == number)
        members = members[np.argsort(spans[members].sum(axis=1), kind="stable")]
        for part in np.array_split(members, min(STRATA, len(members))):
            tuples = float(work[part, 2].mean())
            whole = round(tuples)
            before, during = spans[part].mean(axis=0)
            during *= whole / tuples if tuples > 0 else 1.0  # by the tuple it stays what it was
            rows.append((*map(float, work[part[0], :2]), whole, before, during, len(part)))
    return np.array(rows, dtype=np.float32).reshape(-1, COLUMNS)


def restored(text: str, tuples: int, seconds: float, interrupted: int) -> KeptProfile:
    """The profile whose rows are in ``text``. Raises StreambenchError for a text that is none."""
    try:
        flat = np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), dtype=np.float32)
        rows = np.ascontiguousarray(flat.reshape(COLUMNS, -1).T)
    except (ValueError, zlib.error) as error:
        raise StreambenchError(f"a profile of the result cannot be read ({error}): it was changed") from error
    return KeptProfile(rows, tuples, seconds, interrupted)

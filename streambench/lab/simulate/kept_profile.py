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
from streambench.lab.simulate.profile import Profile, Simulable, groups, pieces_of, profile
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.costs import Moved

STRATA = 16
COLUMNS = 6  # kind, place, tuples, ns before, ns during, pieces
WITH_MOVED = 7  # and a sum of Moved
OF_DATA = int(Moved.UNIT_MOVED) | int(Moved.STATE_MOVED)
OF_OPERATORS = (Work.APPLY, Work.PROCESS)

Rows = npt.NDArray[np.float32]


@dataclass(frozen=True)
class KeptProfile:
    """``rows`` of kind, place, tuples, ns before, ns during, and for how many pieces of work each stands; where what
    another core had written was measured, too, also of which data that was so and in which plan, a sum of ``Moved``.

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
        """Pieces of work in all, of a worker that stayed on its core."""
        return round(float(self.rows[~self._moved, 5].sum()))

    @property
    def _moved(self) -> npt.NDArray[np.bool_]:
        """Which rows are of data that another core had written."""
        return _written_elsewhere(self.rows)

    @property
    def digest(self) -> str:
        """What tells profiles apart."""
        return hashlib.sha256(self.rows.tobytes()).hexdigest()[:12]

    @cached_property
    def profile(self) -> Profile:
        """What a simulated machine is fed with."""
        of_work = [0, 1, 2, 6] if self.rows.shape[1] == WITH_MOVED else [0, 1, 2]
        work = np.ascontiguousarray(self.rows[:, of_work].astype(np.int64))
        spans = np.ascontiguousarray(self.rows[:, 3:5].astype(np.float64))
        moved = round(float(self.rows[self._moved, 5].sum()))
        return Profile(work, spans, self.pieces, self.seconds, self.interrupted, moved)

    def per_tuple(self) -> dict[int, float]:
        """By place of operator: ns at work for each tuple of the stream, without what the runtime takes for it."""
        ns_by_place: dict[int, float] = {}
        for kind, place, _, _, during, pieces in self.rows[~self._moved, :COLUMNS].astype(np.float64).tolist():
            if kind in OF_OPERATORS:
                ns_by_place[int(place)] = ns_by_place.get(int(place), 0.0) + during * pieces / self.tuples
        return ns_by_place

    def whole(self) -> float:
        """Ns of one worker for each tuple of the stream, all that the runtime takes included."""
        rows = self.rows[~self._moved].astype(np.float64)
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


def kept(workload: Simulable, settled: Settled) -> KeptProfile:
    """Run ``workload`` by one worker and keep its profile: of work on its own data only."""
    core, work, spans, interrupted = pieces_of(workload, settled)
    rows = strata(work, spans)
    rows[:, 5] *= core.pieces / max(1, len(work))  # of a long run not every piece was kept
    return KeptProfile(rows, workload.rows * settled.laps, core.seconds, interrupted)


def kept_runs(workload: Simulable, settled: Settled) -> KeptProfile:
    """Make all of ``workload``'s profile runs and keep what they found: of work on what another core had written, too,
    and of ``ordered`` of each plan and unit."""
    runs = profile(workload, settled)
    tables = []
    for moved in np.unique(runs.work[:, 3]):
        one = runs.work[:, 3] == moved
        rows = strata(runs.work[one], runs.spans[one])
        tables.append(np.column_stack((rows, np.full(len(rows), moved, dtype=np.float32))))
    rows = np.concatenate(tables) if tables else np.empty((0, WITH_MOVED), dtype=np.float32)
    stayed = ~_written_elsewhere(rows)
    rows[stayed, 5] *= runs.pieces / max(1.0, float(rows[stayed, 5].sum()))  # of a long run not every piece was kept
    return KeptProfile(rows, workload.rows * settled.laps, runs.seconds, runs.interrupted)


def _written_elsewhere(rows: Rows) -> npt.NDArray[np.bool_]:
    if rows.shape[1] != WITH_MOVED:
        return np.zeros(len(rows), dtype=np.bool_)
    return np.asarray(rows[:, 6].astype(np.int64) & OF_DATA != 0)


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


def restored(text: str, tuples: int, seconds: float, interrupted: int, columns: int = COLUMNS) -> KeptProfile:
    """The profile whose rows are in ``text``, of so many ``columns``. Raises StreambenchError for a text that is
    none."""
    try:
        flat = np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), dtype=np.float32)
        rows = np.ascontiguousarray(flat.reshape(columns, -1).T)
    except (ValueError, zlib.error) as error:
        raise StreambenchError(f"a profile of the result cannot be read ({error}): it was changed") from error
    return KeptProfile(rows, tuples, seconds, interrupted)

"""A gate from two revisions to an outcome and its result document."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from streambench.host.limits import default_workers
from streambench.lab.gate import instructions
from streambench.lab.gate.checkouts import Checkouts
from streambench.lab.gate.decision import Verdict
from streambench.lab.gate.errors import NoAnswerError, NoVerdictError, UnknownCommandError
from streambench.lab.gate.session import Judged, Report, Session
from streambench.lab.gate.settings import GateSettings
from streambench.lab.gate.side import BASE, NEW, Side
from streambench.lab.gate.trials import GateTrials, Record, Trial
from streambench.lab.gate.workload import Workload
from streambench.lab.record import journaled_document
from streambench.lab.record.gate_summary import KIND


class Outcome(IntEnum):
    """How a gate ends: its exit code."""

    PASS = 0
    REGRESSED = 1
    INCONCLUSIVE = 2
    WRONG = 3
    ENVIRONMENT = 4


@dataclass(frozen=True)
class Wanted:
    """What is asked of a gate. ``only``: names of workloads; empty: the usual ones that both sides have.

    ``budget``, ``seconds``: of all measuring, and of a run's measured part. ``counting``: instructions instead of time.
    """

    base: str
    only: Sequence[str]
    budget: float
    workers: int
    data: Path | None
    seconds: float = 0.5
    counting: bool = False


@dataclass(frozen=True)
class GateResult:
    """``problem``: the wrong answer, if there was one; ``left_out``: workloads that a side has not, and why."""

    outcome: Outcome
    rows: list[Judged]
    problem: str | None
    left_out: list[str]
    document: dict[str, Any]


def gate(
    terms: Wanted, settings: GateSettings, checkouts: Checkouts, report: Report = lambda what, fraction: None
) -> GateResult:
    """Build both sides, run them in turns and judge. Raises NoVerdictError where that cannot be done."""
    chosen = [Workload(*each) for each in settings.chosen(terms.only, terms.counting).items()]
    commits = {BASE: checkouts.commit(terms.base), NEW: checkouts.working_tree()}
    build, run = settings.words("build"), settings.words("run")

    def side(name: str) -> Side:
        report(f"building the {name}, {commits[name][:12]}", 0.0)
        measured_side = Side(name, commits[name], checkouts.built(commits[name], build), run)
        try:
            measured_side.check()
        except NoAnswerError as failed:
            raise NoVerdictError(f"{failed}: its command does not start") from failed
        return measured_side

    sides = side(BASE), side(NEW)
    call = journaled_document.begin()
    rows: list[Judged] = []
    runs: list[Record] = []
    left_out: list[str] = []
    problem = None
    with tempfile.TemporaryDirectory(prefix="streambench-gate-") as scratch:
        trials = GateTrials(terms.workers, terms.data, Path(scratch), terms.seconds)
        try:
            if terms.counting:
                lost = settings.fail_over[instructions.METRIC]
                rows, runs = instructions.compared(chosen, sides, lost, trials, report, default_workers())
            else:
                ready, left_out = _prepared(chosen, trials, sides, report, bool(terms.only))
                rows = Session(trials, *sides, settings.fail_over, terms.budget, runs, report).decide(ready)
        except NoAnswerError as wrong:
            problem = str(wrong)
    verdict = Outcome.WRONG if problem else outcome(rows)
    parameters = {
        "base": commits[BASE],
        "new": commits[NEW],
        "workers": terms.workers,
        "budget_seconds": terms.budget,
        "counting": terms.counting,
        "data": None if terms.data is None else terms.data.name,
        "fail_over": dict(settings.fail_over),
    }
    document = journaled_document.document(KIND, parameters, runs, [call, journaled_document.end()])
    document |= {"outcome": verdict.name.lower(), "problem": problem, "verdicts": [plain(each) for each in rows]}
    return GateResult(verdict, rows, problem, left_out, document)


def outcome(rows: Sequence[Judged]) -> Outcome:
    """What all verdicts come to: one regression is enough, and one that is open where there is none."""
    verdicts = {each.verdict for each in rows}
    if Verdict.REGRESSED in verdicts:
        return Outcome.REGRESSED
    return Outcome.INCONCLUSIVE if Verdict.OPEN in verdicts or not rows else Outcome.PASS


def plain(row: Judged) -> dict[str, Any]:
    """A verdict as values that JSON can hold; ``ratio`` is new to base."""
    return {
        "query": row.query,
        "metric": row.metric,
        "base": row.base,
        "new": row.new,
        "ratio": row.ratio.plain(),
        "limit": row.as_ratio(row.limit),
        "wanted_limit": row.as_ratio(row.usual_limit),
        "verdict": str(row.verdict),
    }


def _prepared(
    chosen: Sequence[Workload], trials: GateTrials, sides: tuple[Side, Side], report: Report, all_of_them: bool
) -> tuple[list[Trial], list[str]]:
    ready, left_out = [], []
    for workload in chosen:
        report(f"checking {workload.name}", 0.0)
        try:
            trial = trials.prepared(workload, *sides)
            ready.append(trial)
            left_out += [f"{workload.name} {name}, which the base does not measure" for name in trial.unmatched]
        except UnknownCommandError as problem:
            if all_of_them:
                raise
            left_out.append(str(problem))
    if not ready:
        raise NoVerdictError(f"the two sides have no workload in common ({', '.join(left_out)})")
    return ready, left_out

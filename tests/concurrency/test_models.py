"""Spin models of the small concurrent algorithms: every interleaving, and that broken versions are found out.

Each model's header says what it checks, what it leaves out and what its mutations are. A model holds when Spin has gone
through its whole state space without an error. A mutation breaks one step; if Spin did not object to it, the model
would not be worth much.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

import pytest

MODELS = Path(__file__).parent / "models"
COMPILER = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
DEADLOCK = "invalid end state"


@dataclass(frozen=True)
class Model:
    """How one model is checked. ``states``: a search with fewer has left something out."""

    states: int
    mutations: Mapping[str, str]  # the first property that it breaks
    progress: str = ""  # the size for the check of progress, "" where it is not checked
    no_progress: str = ""  # the mutation that must fail that check


CHECKED = {
    "nonblocking_reorder_buffer": Model(
        states=1_000_000,
        progress="OUTPUTS=5",
        no_progress="NEXT_BEFORE_EMPTY",
        mutations={
            "NO_LOOK_AGAIN": "nothing_left_behind",
            "LOOK_BEFORE_CLEAR": "nothing_left_behind",
            "NO_UPPER_BOUND": "no_overwrite",
            "NO_FLAG": "one_sender",
            "NEXT_BEFORE_EMPTY": "no_overwrite",
            "DELAYED_CLEAR": "nothing_left_behind",
            "DELAYED_ADD": "nothing_left_behind",
        },
    ),
    "lock_based_reorder_buffer": Model(
        states=5_000,
        mutations={
            "NO_LOCK": "nothing_left_behind",
            "NO_UPPER_BOUND": "nothing_left_behind",
            "NO_DRAIN": "nothing_left_behind",
            "REFUSED_KEEPS_LOCK": DEADLOCK,
        },
    ),
    "ordered_scheduler": Model(
        states=1_000_000,
        progress="OUTPUTS=4",
        no_progress="TRASH_KEEPS_TURN",
        mutations={
            "LEAVE_BY_STORE": "nothing_lost",
            "PUT_BY_STORE": "nothing_left_behind",
            "TAIL_TEST": "one_sender",
            "NO_LOOK_AGAIN": "nothing_left_behind",
            "NO_UPPER_BOUND": "no_overwrite",
            "TRASH_KEEPS_TURN": "nothing_lost",
            "NEXT_BEFORE_EMPTY": "no_overwrite",
        },
    ),
    "growing_queue": Model(
        states=1_000_000,
        mutations={
            "NO_COPY": "right_item",
            "CLAIM_FIRST": "right_item",
            "LOAD_AND_STORE": DEADLOCK,
            "RING_LAST": "right_item",
            "HEAD_FIRST": "right_item",
            "ONE_TOO_MANY": "right_item",
            "TAIL_ONCE": DEADLOCK,
        },
    ),
    "hybrid_queue": Model(
        states=1_000_000,
        progress="ITEMS=4",
        no_progress="NO_DELEGATES",
        mutations={
            "MASTER_FIRST": "pop_succeeds",
            "COUNT_DOWN_FIRST": "one_worker",
            "NO_TEST": "pop_succeeds",
            "NO_DELEGATES": "nothing_left_behind",
            "LOAD_AND_STORE": "nothing_left_behind",
        },
    ),
    "partitioned_queue": Model(
        states=1_000_000,
        progress="ITEMS=3",
        no_progress="NOT_FREED",
        mutations={
            "LOAD_AND_STORE": "in_order",
            "FREE_BEFORE_OPERATE": "in_order",
            "NOT_FREED": "nothing_held",
        },
    ),
    "ordered_engine": Model(
        states=1_000_000,
        mutations={
            "NO_EPOCH": "right_unit",
            "NO_SERIAL": "right_unit",
            "LOAD_AND_STORE": "in_order",
            "PASS_FIRST": "one_worker",
            "COUNT_FIRST": "complete",
            "PENDING_BY_STORE": "nothing_stranded",
            "PUBLISH_FIRST": "nothing_stranded",
            "DONE_FIRST": "right_unit",
            "TURN_KEPT": "nothing_stranded",
            "NOT_QUIESCENT": "nothing_stranded",
            "NO_SECOND_LOOK": "no_overwrite",
            "FLUSHED_EARLY": "flushed_last",
            "NO_LOOK_AT_STOP": "nothing_after",
            "NO_LOOK_WITH_LOCK": "nothing_after",
            "NOT_HELD": "plan_there",
            "HELD_UNCHECKED": "plan_there",
        },
    ),
    "pieces": Model(
        states=600_000,
        mutations={
            "X_PASSES": "in_order",
            "SHARD_PASSES": "in_order",
            "NO_TURNS": "nothing_stranded",
            "SINK_PASSES_FIRST": "complete",
            "NO_SECOND_LOOK": "complete",
            "LEFT_READ_LATE": "nothing_stranded",
        },
    ),
    "pieces_by_partition": Model(
        states=150_000,
        mutations={
            "SHARD_PASSES": "nothing_stranded",
            "ALL_TURNS": "in_order",
            "NO_TURNS": "nothing_stranded",
            "SINK_PASSES_FIRST": "complete",
            "NO_SECOND_LOOK": "complete",
            "STOPPED_READ_LATE": "nothing_stranded",
        },
    ),
    "pieces_in_schemes": Model(
        states=190_000,
        mutations={
            "X_LEFT": "in_order",
            "CLEARED_LATE": "no_overwrite",
            "LAST_READ_LATE": "room",
            "COUNTER_MOVES": "room",
            "NO_LOOK_AGAIN": "nothing_stranded",
        },
    ),
    "shared_queue": Model(
        states=1_000_000,
        progress="ITEMS=3",
        no_progress="NOT_FREED",
        mutations={
            "PARTITION_AFTER_ITEM": "in_order",
            "NO_MUTEX": "in_order",
            "FREE_BEFORE_OPERATE": "one_worker",
            "NOT_FREED": "nothing_left_behind",
            "MUTEX_KEPT": DEADLOCK,
        },
    ),
    "ring_gate": Model(
        states=1_000_000,
        mutations={
            "WRITTEN_FIRST": "right_item",
            "PASSED_FIRST": "right_item",
            "ONE_TOO_MANY": "right_item",
            "ONE_READER": "right_item",
            "WRITTEN_BEFORE_PROMISED": "nothing_lost",
            "PROMISED_FIRST": "nothing_lost",
            "OVERTAKE": "in_order",
            "EITHER_FIRST": "in_order",
            "NOT_PASSED": DEADLOCK,
        },
    ),
    "match_merge": Model(
        states=2_000_000,
        mutations={
            "ONE_TOO_MANY": "no_overwrite",
            "PUBLISHED_FIRST": "right_batch",
            "LOAD_AND_STORE": "right_batch",
            "OLD_BEGIN": "right_batch",
            "TURN_KEPT": "all_merged",
            "WAKE_BEFORE_MERGED": DEADLOCK,
            "NO_LOOK_AGAIN": DEADLOCK,
            "DELAYED_MERGED": DEADLOCK,
        },
    ),
    "cooperative": Model(
        states=2_000_000,
        mutations={
            "RELINQUISH_BY_STORE": "nothing_lost",
            "ANY_OWNS": "one_thread",
            "DELETE_BY_STORE": "one_thread",
            "NO_VERSION": "right_element",
            "BUCKET_BY_STORE": "one_owner",
            "GIVE_UP_BLINDLY": "nothing_left_behind",
            "MARK_BLINDLY": "no_request_in_marked",
            "DEFERRED_FORGOTTEN": "nothing_left_behind",
            "OVERWRITE_ANYWHERE": "least_overwritten",
        },
    ),
    "front": Model(
        states=300_000,
        mutations={
            "LOAD_AND_STORE": "all_left",
            "CLAIM_BY_STORE": "licensed",
            "COUNT_FIRST": "licensed",
            "NO_SCHEDULE": "all_left",
            "NO_LOOK_AT_QUEUE": "in_order",
            "HAND_LAST": "in_order",
            "HELD_LOST": DEADLOCK,
            "RELEASED_FIRST": "in_order",
            "INPUT_UNLOCKED": "in_order",
            "IDLE_KEPT": DEADLOCK,
            "LEFT_COUNTED": DEADLOCK,
        },
    ),
    "giving_back": Model(
        states=200_000,
        mutations={
            "SHUT_BLINDLY": "in_order",
            "NO_LICENCE": "licensed",
            "ENQUEUE_BLINDLY": "in_order",
            "GONE_FIRST": "in_order",
            "LET_GO_BLINDLY": "all_taken",
        },
    ),
    "parking": Model(
        states=1_000_000,
        mutations={
            "NO_LOOK_AGAIN": "nothing_slept_through",
            "LOOK_BEFORE_ANNOUNCE": "nothing_slept_through",
            "WAKE_BEFORE_PUBLISH": "nothing_slept_through",
            "NO_WAKE_ALL": "nothing_slept_through",
            "SLEEP_UNCHECKED": "nothing_slept_through",
            "ROUSE_ONLY": "nothing_slept_through",
            "KEPT_SLEEPER": "counted",
            "LOAD_AND_STORE": "counted",
            "WITHDRAW_TAKES_PERMIT": "nothing_slept_through",
            "DELAYED_PUBLISH": "nothing_slept_through",
        },
    ),
}


class Search(NamedTuple):
    """A search that Spin can be asked for."""

    model: str
    defined: tuple[str, ...] = ()
    progress: bool = False  # look for cycles without progress (weak fairness) instead of states that break a property
    mutated: bool = False  # an error is found soon: to compile the search well would take longer


def safety(model: str, *mutation: str) -> Search:
    return Search(model, mutation, mutated=bool(mutation))


def progress(model: str, *mutation: str) -> Search:
    return Search(model, (CHECKED[model].progress, *mutation), progress=True, mutated=bool(mutation))


WITH_PROGRESS = [name for name, model in CHECKED.items() if model.progress]
WHOLE = [pytest.param(safety(name), id=name) for name in CHECKED]
WHOLE_PROGRESS = [pytest.param(progress(name), id=name) for name in WITH_PROGRESS]
BROKEN = [
    pytest.param(safety(name, mutation), broken, id=f"{name}-{mutation}-{broken.replace(' ', '_')}")
    for name, model in CHECKED.items()
    for mutation, broken in model.mutations.items()
]
BROKEN_PROGRESS = [
    pytest.param(progress(name, CHECKED[name].no_progress), id=f"{name}-{CHECKED[name].no_progress}")
    for name in WITH_PROGRESS
]

needs_spin = pytest.mark.skipif(
    not shutil.which("spin") or not COMPILER,
    reason="Spin or a C compiler is missing; `make model` installs them, or: sudo apt-get install -y spin gcc",
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        "STREAMBENCH_PROFILE" in os.environ, reason="a model has no code of the runtime in it that could be sanitized"
    ),
]


def run(search: Search, folder: Path) -> str:
    """What Spin's search prints. Exhaustive: no hashing of states into bits; a depth or memory bound is reported."""
    folder.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    kind, options = ("-DNP", ["-l", "-f", "-A"]) if search.progress else ("-DSAFETY", [])
    assert COMPILER
    commands = [
        ["spin", "-a", *(f"-D{each}" for each in search.defined), str(MODELS / f"{search.model}.pml")],
        [COMPILER, "-O0" if search.mutated else "-O1", "-w", kind, "-DMEMLIM=1024", "-o", "pan", "pan.c"],
        ["./pan", "-m1000000", *options],
    ]
    for command in commands:
        ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        printed = ended.stdout + ended.stderr
        if ended.returncode and command[0] != "./pan":
            pytest.fail(f"{' '.join(command)} failed:\n{printed}", pytrace=False)
    return printed


@pytest.fixture(scope="module")
def searches(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Search, Future[str]]]:
    """The searches of the selected tests, all begun at once and two at a time: each is one thread."""
    wanted: list[Search] = [
        cast(Search, item.callspec.params["search"])
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.module is request.module and hasattr(item, "callspec")
    ]
    folder = tmp_path_factory.mktemp("spin")
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        yield {search: pool.submit(run, search, folder / str(k)) for k, search in enumerate(dict.fromkeys(wanted))}
        pool.shutdown(cancel_futures=True)  # a test was interrupted


def check_whole(printed: str, states: int) -> None:
    """The search found no error and left nothing out."""
    assert re.search(r"errors: 0$", printed, re.MULTILINE), printed
    assert "Full statespace search" in printed
    for bound in ("Search not completed", "max search depth too small", "MEMLIM", "out of memory"):
        assert bound not in printed, printed
    unreached = re.findall(r"\((\d+) of \d+ states\)", printed)
    assert unreached, printed
    assert set(unreached) == {"0"}, f"steps that no interleaving comes to:\n{printed}"
    stored = re.search(r"^ *([\d.e+]+) states, stored", printed, re.MULTILINE)
    assert stored, printed
    assert float(stored[1]) >= states, printed


@needs_spin
@pytest.mark.parametrize("search", WHOLE)
def test_all_properties_hold_in_every_interleaving(searches: dict[Search, Future[str]], search: Search) -> None:
    """Theorems 3.1 and 4.1 of the paper for the small sizes of the models; and no worker is stuck for ever."""
    printed = searches[search].result()
    check_whole(printed, CHECKED[search.model].states)
    assert re.search(r"invalid end states\s+\+", printed)
    assert re.search(r"assertion violations\s+\+", printed)


@needs_spin
@pytest.mark.parametrize("search", WHOLE_PROGRESS)
def test_there_is_progress_under_weak_fairness(searches: dict[Search, Future[str]], search: Search) -> None:
    printed = searches[search].result()
    check_whole(printed, CHECKED[search.model].states // 20)
    assert re.search(r"non-progress cycles\s+\+ \(fairness enabled\)", printed)


@needs_spin
@pytest.mark.parametrize(("search", "broken"), BROKEN)
def test_a_mutation_is_caught_by(searches: dict[Search, Future[str]], search: Search, broken: str) -> None:
    printed = searches[search].result()
    found = re.search(r"^pan:1: (?:assertion violated )?(.*) \(at depth \d+\)$", printed, re.MULTILINE)
    assert found, printed
    assert found[1] == broken


@needs_spin
@pytest.mark.parametrize("search", BROKEN_PROGRESS)
def test_a_mutation_without_progress_is_caught(searches: dict[Search, Future[str]], search: Search) -> None:
    assert "pan:1: non-progress cycle" in searches[search].result()


def test_every_model_and_every_mutation_in_it_is_checked() -> None:
    for path in MODELS.glob("*.pml"):
        named = set(re.findall(r"^#\s*(?:el)?if(?:n?def)? .*", path.read_text(), re.MULTILINE))
        mutations = {word for line in named for word in re.findall(r"\b[A-Z][A-Z_]+\b", line)} - {"OUTPUTS", "ITEMS"}
        assert mutations == set(CHECKED[path.stem].mutations), path.name
    assert {path.stem for path in MODELS.glob("*.pml")} == set(CHECKED)

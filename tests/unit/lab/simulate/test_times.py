"""What primitives take is the middle of several attempts, and attempts that disagree wildly are told of."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from streambench.errors import OptionError
from streambench.host.placement import Cpu
from streambench.lab.simulate import times
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times, measure, pairs_of, spread
from streambench.lab.simulate.topology import Topology
from streambench.pyx.machine import primitives


def made_up(*values: float) -> Callable[..., float]:
    """A primitive whose attempts take these, over and over."""
    count = iter(range(1_000_000))
    return lambda *_: values[next(count) % len(values)]


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Two cores on which every attempt takes the same."""
    monkeypatch.setattr(times, "allowed_cpus", lambda: [0, 1])
    monkeypatch.setattr(times, "round_trip_ns", made_up(60.0))
    monkeypatch.setattr(times, "memory_bytes_per_ns", made_up(10.0))
    monkeypatch.setattr(times, "account_ns", made_up(900.0))
    for name in ("stream_line", "pause", "yield", "wake_up", "wake_call", "hand_over", "wait_call", "vain_call"):
        monkeypatch.setattr(primitives, f"{name}_ns", made_up(50.0))
    for name in ("clock_ns", "read_modify_write_ns"):
        monkeypatch.setattr(primitives, name, made_up(5.0))
    return monkeypatch


def test_attempts_that_agree_are_no_warning(quiet: pytest.MonkeyPatch) -> None:
    found = measure()
    assert (found.near_line, found.far_line, found.wake_up, found.memory) == (30, 75, 50, 10)
    assert (found.spread, found.warnings) == (1, [])


def test_a_busy_neighbour_does_not_lengthen_a_lines_way(quiet: pytest.MonkeyPatch) -> None:
    quiet.setattr(times, "round_trip_ns", made_up(43_898.0, 64.0, 64.0, 62.0, 9_000.0))
    found = measure()
    assert (found.near_line, found.warnings) == (32, [])


def test_cores_that_are_nearer_for_once_do_not_shorten_it_and_are_told_of(quiet: pytest.MonkeyPatch) -> None:
    quiet.setattr(times, "round_trip_ns", made_up(30.0, 152.0, 152.0, 154.0, 153.0))
    found = measure()
    assert found.near_line == 76
    assert found.spread == pytest.approx(152 / 30)
    (warning,) = found.warnings
    assert "5.1 times" in warning


def test_any_primitive_between_cores_is_warned_of(quiet: pytest.MonkeyPatch) -> None:
    quiet.setattr(primitives, "wake_up_ns", made_up(4_000.0, 4_200.0, 300_000.0))
    assert measure().warnings == []  # a third of all attempts was spoilt: the others agree
    quiet.setattr(primitives, "wake_up_ns", made_up(4_000.0, 8_000.0, 300_000.0))
    found = measure()
    assert (found.wake_up, found.spread, len(found.warnings)) == (8_000, 2, 1)


def test_the_spread_is_kept_in_records_and_not_told_to_a_simulated_machine(quiet: pytest.MonkeyPatch) -> None:
    quiet.setattr(primitives, "hand_over_ns", made_up(100.0, 700.0, 800.0))
    found = measure()
    assert found.to_dict()["spread"] == 7
    assert "spread" not in found.simulated()
    again = Times(**found.to_dict())  # type: ignore[arg-type]
    assert again.warnings == found.warnings != []


def test_of_no_time_at_all_there_is_no_spread() -> None:
    assert spread([0.0, 0.0, 1.0]) == 1


def test_one_core_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times, "allowed_cpus", lambda: [0])
    with pytest.raises(OptionError, match=r"one core alone .*`--profiles`"):
        measure()


def test_ways_that_the_machine_has_are_measured_and_the_others_assumed(quiet: pytest.MonkeyPatch) -> None:
    def distance(one: int, other: int, _: int) -> float:
        return 60.0 if one // 2 == other // 2 else 180.0 if one // 4 == other // 4 else 500.0

    def measured(*numbers: int) -> Times:
        quiet.setattr(times, "topology", lambda _: [Cpu(each, each // 4, each // 2, each) for each in numbers])
        return measure()

    quiet.setattr(times, "round_trip_ns", distance)
    alone = measured(0, 1)
    assert alone.assumed == ["cluster_line", "far_line"]
    assert alone.ways() == {"near_line": 30, "cluster_line": 4.5 * 30, "far_line": 2.5 * 30}
    assert alone.ways(clustered=True)["far_line"] == 8.5 * 30
    whole = measured(*range(8))
    assert whole.assumed == []
    assert whole.ways() == whole.ways(clustered=True) == {"near_line": 30, "cluster_line": 90, "far_line": 250}
    apart = measured(0, 2)  # what there is stands for the near way
    assert (apart.near_line, apart.assumed) == (90, ["cluster_line", "far_line"])


def test_a_host_that_moves_near_cores_changes_what_is_assumed_and_not_what_is_measured() -> None:
    known = Times(near_line=30, far_line=75, stream_line=5, pause=1, to_yield=1, wake_up=1)
    assert known.beside(60, 9).ways() == {"near_line": 60, "cluster_line": 270, "far_line": 150}
    assert known.beside(60, 9).stream_line == 9
    known = Times(near_line=30, far_line=250, cluster_line=90, stream_line=5, pause=1, to_yield=1, wake_up=1)
    assert known.beside(60, 9).ways() == {"near_line": 60, "cluster_line": 90, "far_line": 250}


def test_cores_that_share_more_are_nearer() -> None:
    cpus = [Cpu(0, 0, 0, 0), Cpu(1, 1, 8, 1), Cpu(2, 0, 0, 2), Cpu(3, 0, 4, 3)]
    assert pairs_of(cpus) == {"far_line": (0, 1), "near_line": (0, 2), "cluster_line": (0, 3)}
    assert pairs_of(cpus[:1]) == {}


def test_hardware_threads_of_a_core_are_no_two_cores() -> None:
    cpus = [Cpu(0, 0, 0, 0), Cpu(1, 0, 0, 0), Cpu(2, 0, 0, 2), Cpu(3, 0, 0, 2), Cpu(4, 0, 4, 4), Cpu(5, 0, 4, 4)]
    assert pairs_of(cpus) == {"near_line": (0, 2), "cluster_line": (0, 4)}
    assert pairs_of([*cpus[:2], *cpus[4:]]) == {"near_line": (0, 4)}
    assert pairs_of(cpus[:2]) == {"near_line": (0, 1)}


def test_one_core_with_two_hardware_threads_is_told_of(quiet: pytest.MonkeyPatch) -> None:
    assert not measure().of_one_core
    quiet.setattr(times, "topology", lambda _: [Cpu(0, 0, 0, 0), Cpu(1, 0, 0, 0)])
    found = measure()
    (warning,) = found.warnings
    assert "hardware threads of one core" in warning
    assert "of_one_core" not in found.simulated()


def test_a_machine_tells_the_ways_that_its_cores_have() -> None:
    known = Times(near_line=30, far_line=75, stream_line=5, pause=1, to_yield=1, wake_up=1)
    assert Machine(known).ways == {"near_line": 30}
    assert Machine(known, Topology.of("2x64")).ways == {"near_line": 30, "far_line": 75}
    assert Machine(known, Topology.of("1x8x8")).ways == {"near_line": 30, "cluster_line": 135}
    assert Machine(known, Topology.of("2x8x8")).ways == {"near_line": 30, "cluster_line": 135, "far_line": 255}

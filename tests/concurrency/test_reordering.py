"""Theorem 3.1 for the three reordering schemes and the Ordered Scheduler, with yields injected between their steps."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from streambench.pyx.machine.yield_points import inject

from streambench.pyx.ordered_scheduler import OrderedScheduler

pytestmark = pytest.mark.slow  # many interleavings

SCHEMES = ["nonblocking", "lock", "ticket"]
# One yield in so many, and the seed; few cores show few interleavings by themselves.
YIELDS = [(0, 1), (3, 1), (3, 2), (20, 3)]


@pytest.fixture(params=YIELDS, ids=lambda each: f"yields{each[0]}-seed{each[1]}")
def injected(request: pytest.FixtureRequest) -> tuple[int, int]:
    one_in, seed = request.param
    inject(one_in, seed)
    return one_in, seed


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("threads", "size"), [(1, 8), (2, 1), (2, 64), (4, 2), (16, 1), (16, 8)])
def test_theorem_3_1_outputs_leave_in_order_by_one_sender_and_none_is_lost(
    probes: SimpleNamespace, injected: tuple[int, int], scheme: str, threads: int, size: int
) -> None:
    driver = probes.Reordering(scheme, size, 1500, 1)
    driver.run(threads)
    order, sent, overlaps = driver.result()
    assert order == list(range(1500))
    assert sent == 1500
    assert overlaps == 0
    if threads == 1:
        assert set(driver.counts().values()) == {0}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_theorem_3_1_nothing_is_left_behind_when_no_worker_is_inside(
    probes: SimpleNamespace, injected: tuple[int, int], scheme: str, threads: int
) -> None:
    driver = probes.Stranding(scheme, 5000 if injected[0] == 0 and threads < 4 else 500)
    driver.run(threads)
    assert driver.stranded == 0


@pytest.mark.parametrize(("threads", "size"), [(1, 4), (2, 1), (2, 64), (16, 1), (16, 4)])
@pytest.mark.parametrize("trash_one_in", [1, 2, 5])
def test_trashed_serial_numbers_block_nobody(
    probes: SimpleNamespace, injected: tuple[int, int], threads: int, size: int, trash_one_in: int
) -> None:
    driver = probes.Reordering("ticket", size, 1000, 1, trash_one_in)
    driver.run(threads)
    order, sent, overlaps = driver.result()
    assert order == [serial for serial in range(1000) if serial % trash_one_in]
    assert sent == 1000
    assert overlaps == 0


@pytest.mark.parametrize(("threads", "capacity"), [(1, 4), (2, 1), (2, 64), (16, 1), (16, 4)])
@pytest.mark.parametrize("trash_one_in", [0, 3])
def test_native_tasks_run_one_at_a_time_in_ticket_order(
    probes: SimpleNamespace, injected: tuple[int, int], threads: int, capacity: int, trash_one_in: int
) -> None:
    driver = probes.Tickets(capacity, 1000, 1, trash_one_in)
    driver.run(threads)
    order, overlaps, wrong_outcomes, pending = driver.result()
    assert order == [ticket for ticket in range(1000) if not trash_one_in or ticket % trash_one_in]
    assert (overlaps, wrong_outcomes, pending) == (0, 0, 0)


@pytest.mark.parametrize("threads", [2, 4, 16])
@pytest.mark.parametrize("capacity", [1, 2, 64])
def test_of_many_users_of_one_ticket_exactly_one_is_accepted(
    probes: SimpleNamespace, injected: tuple[int, int], threads: int, capacity: int
) -> None:
    driver = probes.SameTickets(capacity, 500)
    driver.run(threads)
    assert driver.result() == (list(range(500)), 500)


@pytest.mark.parametrize("threads", [2, 3])
def test_of_users_that_claim_a_ticket_at_the_same_time_exactly_one_is_accepted(
    probes: SimpleNamespace, injected: tuple[int, int], threads: int
) -> None:
    driver = probes.SameTickets(64, 2000, together=True)
    driver.run(threads)
    assert driver.result() == (list(range(2000)), 2000)


def test_hundreds_of_ordered_schedulers_keep_their_orders_under_one_thread_pool(injected: tuple[int, int]) -> None:
    """Every fifth ticket is trashed, every seventh task raises; capacities down to 1 make callers wait for room."""
    schedulers = [OrderedScheduler(1 << (k % 5)) for k in range(200)]
    orders = [list[int]() for _ in schedulers]

    def use(k: int, ticket: int) -> None:
        def task() -> None:
            orders[k].append(ticket)
            if ticket % 7 == 0:
                raise ArithmeticError(ticket)

        if ticket % 5 == 0:
            schedulers[k].trash(ticket)
        else:
            schedulers[k].run(ticket, task)

    def errors(raised: BaseException | None) -> list[BaseException]:
        if isinstance(raised, BaseExceptionGroup):
            return list(raised.exceptions)
        return [] if raised is None else [raised]

    with ThreadPoolExecutor(16) as pool:
        futures = [pool.submit(use, k, each.ticket()) for _ in range(20) for k, each in enumerate(schedulers)]
    assert orders == [[ticket for ticket in range(20) if ticket % 5]] * 200
    assert [each.pending for each in schedulers] == [0] * 200
    raised = [error for future in futures for error in errors(future.exception())]
    assert sorted(str(error) for error in raised) == sorted(["7", "14"] * 200)
    assert {(str(error), *error.__notes__) for error in raised} == {
        ("7", "in the task of ticket 7"),
        ("14", "in the task of ticket 14"),
    }

"""Tasks end in the order of their tickets, whatever brings them into it, with more threads than cores."""

from __future__ import annotations

import pytest

from streambench.lab.measure.order.ordered_tasks import BY_NAME, digest_of, in_one_thread, prepared
from streambench.lab.measure.order.python_tasks import WAYS


def test_one_thread_makes_the_digest_of_what_is_prepared_in_order() -> None:
    results = [prepared(number, 3) for number in range(100)]
    assert in_one_thread(100, 3) == digest_of(results)
    assert digest_of([results[1], results[0], *results[2:]]) != digest_of(results)


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("tasks", [0, 1, 20_000])
def test_tasks_end_in_order(name: str, threads: int, tasks: int) -> None:
    crew = BY_NAME[name](threads, tasks, 20)
    crew.run()
    assert crew.digest == in_one_thread(tasks, 20)


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("tasks", [0, 1, 300])
def test_tasks_in_python_end_in_order(name: str, threads: int, tasks: int) -> None:
    assert list(WAYS[name](lambda number: prepared(number, 20), tasks, threads)) == [
        prepared(number, 20) for number in range(tasks)
    ]

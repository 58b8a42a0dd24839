"""The documented examples, where their compiled modules stay from run to run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from compiled import BUILD, PROFILE, locked

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


@pytest.fixture
def example() -> Iterator[Callable[[str], Path]]:
    """A copy of an example's folder below ``build/``, with what was built there before."""
    with ExitStack() as held:

        def copied(name: str) -> Path:
            folder = BUILD / f"examples-{PROFILE}" / name
            held.enter_context(locked(folder))
            return Path(
                shutil.copytree(EXAMPLES / name, folder, dirs_exist_ok=True)
            )  # with times: set-ups look at them

        yield copied

"""What a sanitizer's run, ten times as slow, does less of."""

from __future__ import annotations

import os

from hypothesis import settings

SANITIZED = os.environ.get("STREAMBENCH_PROFILE") in ("asan", "tsan")


def size(wanted: int, sanitized: int) -> int:
    """How many tuples a test has: under a sanitizer fewer, with which it still does all that it is about."""
    return sanitized if SANITIZED else wanted


def examples(wanted: int) -> settings:
    """So many of hypothesis's examples; a sanitizer, which looks for other things than results, sees a tenth."""
    return settings(max_examples=max(10, wanted // 10) if SANITIZED else wanted)

"""NumPy's OpenBLAS uses as many threads as it is told to, where it says."""

from __future__ import annotations

import numpy as np

from streambench.lab.host.blas import limit_blas


def test_blas_uses_no_more_threads_than_it_is_told_to() -> None:
    assert np.ones((2, 2)).sum() == 4  # it is loaded
    before = limit_blas(1)
    assert before in (1, None)
    assert limit_blas(2) in (2, before)  # it may have been built for one
    assert limit_blas(1) == before

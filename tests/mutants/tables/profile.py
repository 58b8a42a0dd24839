"""What a run's profile and timeline say."""

from __future__ import annotations

from mutation import of, swap

MUTATIONS = (
    *of(
        "pyx/schemes/timeline.pyx",
        (
            "samples that are thinned are those of the beginning",
            ("tests/unit/schemes/test_timeline.py::test_the_samples_are_thinned_when_there_are_too_many",),
            swap(".samples[2 * i", ".samples[i"),
        ),
    ),
    *of(
        "streambench/lab/show/profile_table.py",
        (
            "an operator is said to give what it was given",
            ("tests/cli/test_cli_profile.py::test_the_profile_counts_what_goes_in_and_out_of_every_operator",),
            swap("stage['tuples_out']", "given"),
        ),
    ),
)

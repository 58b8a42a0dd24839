"""What a run's profile and timeline say."""

from __future__ import annotations

from mutation import Mutation

MUTATIONS = (
    Mutation(
        "samples that are thinned are those of the beginning",
        "pyx/schemes/timeline.pyx",
        "self.samples[i * self.row + k] = self.samples[2 * i * self.row + k]",
        "self.samples[i * self.row + k] = self.samples[i * self.row + k]",
        ("tests/unit/schemes/test_timeline.py::test_the_samples_are_thinned_when_there_are_too_many",),
    ),
    Mutation(
        "an operator is said to give what it was given",
        "streambench/lab/show/profile_table.py",
        """f"{stage['tuples_out'] / given:.3g}\"""",
        """f"{given / given:.3g}\"""",
        ("tests/cli/test_cli_profile.py::test_the_profile_counts_what_goes_in_and_out_of_every_operator",),
    ),
)

"""Compile the hand-fused loops: run by `built.build`."""

import boost_headers
from compile_extensions import compile_extensions, extension

compile_extensions(
    [extension("fused_loops", include_dirs=[str(boost_headers.get_include())])], include_path=("../pacing",)
)

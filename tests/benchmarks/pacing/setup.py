"""Compile what feeds the hand-fused loops: run by `built.build`."""

from compile_extensions import compile_extensions, extension

compile_extensions([extension("pace")])

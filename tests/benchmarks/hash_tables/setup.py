"""Compile the candidates: run by `built.build`. Abseil is left out where pkg-config does not know of it."""

import shutil
import subprocess

import boost_headers
from compile_extensions import compile_extensions, extension

ABSEIL = "absl_flat_hash_map"


def flags(option: str) -> list[str]:
    done = subprocess.run(["pkg-config", option, ABSEIL], capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else []


found = [extension("candidates", include_dirs=[str(boost_headers.get_include())])]
if shutil.which("pkg-config") and (libraries := flags("--libs")):
    found.append(extension("abseil", compile_args=tuple(flags("--cflags")), extra_link_args=libraries))

compile_extensions(found)

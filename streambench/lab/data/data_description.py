"""What a result file says of the data: enough to make it again, and to see that two results are of the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from streambench.lab.data.catalog import Catalog

PARAMETERS = {"scale_factor": "scale_factor", "days": "days", "seed": "seed", "profile": "data_profile"}


def describe(data: Catalog) -> dict[str, Any]:
    """The directory's last name, a digest of what its manifest says of the tables (their rows and contents), and what
    they were generated with.

    The digest is None for a directory without a manifest; data that was not generated has no parameters.
    """
    manifest = data.manifest or {}
    parameters = manifest.get("parameters") if manifest.get("kind") == "datagen" else None
    tables = json.dumps(manifest.get("tables"), sort_keys=True)
    return {
        "data": data.path.resolve().name,
        "data_sha256": hashlib.sha256(tables.encode()).hexdigest() if manifest.get("tables") else None,
        **{
            ours: parameters[name]
            for name, ours in PARAMETERS.items()
            if isinstance(parameters, dict) and name in parameters
        },
    }


def difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """How the data that two results tell of differ: what ``one`` has, and what ``other``. None where they do not.

    What the data hold decides where both tell it, else what they were generated with, else their names.
    """

    def differing(*names: str) -> list[str] | None:
        both = [name for name in names if one.get(name) is not None and other.get(name) is not None]
        return [f"{name} {one[name]}, not {other[name]}" for name in both if one[name] != other[name]] if both else None

    parameters, held, named = differing(*PARAMETERS.values()), differing("data_sha256"), differing("data")
    if held:  # a digest says nothing to a reader
        return ", ".join(parameters or named or ["the same by name, with other rows"])
    first = next((each for each in (held, parameters, named) if each is not None), [])
    return ", ".join(first) or None

"""What a result file says of the data: enough to make it again, and to see that two results are of the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from streambench.data.catalog import Catalog

PARAMETERS = {"scale_factor": "scale_factor", "days": "days", "seed": "seed", "profile": "data_profile"}


def describe(data: Catalog) -> dict[str, Any]:
    """The directory's last name, a digest of what its manifest says of the tables (their rows and contents), and what
    they were generated with.

    The digest is None for a directory without a manifest; data that was not generated has no parameters.
    """
    manifest = data.manifest or {}
    made = manifest.get("parameters") if manifest.get("kind") == "datagen" else None
    tables = json.dumps(manifest.get("tables"), sort_keys=True)
    return {
        "data": data.path.resolve().name,
        "data_sha256": hashlib.sha256(tables.encode()).hexdigest() if manifest.get("tables") else None,
        **{ours: made[name] for name, ours in PARAMETERS.items() if isinstance(made, dict) and name in made},
    }

"""Which models a run asked, each with the revision that says exactly which it was."""

import hashlib
from importlib import metadata
from pathlib import Path

from ragassay.models import files


def models(config: dict) -> list[dict]:
    rows = []
    for name, entry in sorted(config["models"].items()):
        revision = entry.get("options", {}).get("revision") or _revision(entry["model"], entry["provider"])
        row = {"name": name, "provider": entry["provider"], "model": entry["model"], "revision": revision}
        rows.append(row | {"sampling": entry.get("sampling", {}), "price": entry.get("price")})
    return rows


def _revision(model, provider):
    """Of a folder with weights the digest of its files, of a package its version; of a hosted model only its name."""
    if model.startswith("package:"):
        package = model.removeprefix("package:").partition("/")[0]
        known = metadata.packages_distributions().get(package)
        return f"{known[0]} {metadata.version(known[0])}" if known else ""
    if provider == "transformers" and Path(model).is_dir():
        digest = hashlib.sha256()
        for path in sorted(files.read_files(Path(model))):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
        return f"sha256 {digest.hexdigest()[:16]}"
    return ""

"""What studies know about an estimate beforehand: how many requests there can be, and which settings save some.

Rule files register both; Snakemake writes them down while it plans an estimate, and `ragassay.calls.estimate` reads
them.
"""

import json
import math
import os
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

FOLDER = "RAGASSAY_ESTIMATE"  # the environment variable that says where estimates go
FILE = "registered"


def tell(registered: dict) -> None:
    """While Snakemake plans."""
    if folder := os.environ.get(FOLDER):
        Path(folder, FILE).write_text(json.dumps(registered))


def bounded(rows: list[dict], registered: dict, project: Path) -> list[dict]:
    """The rows of jobs with the requests and dollars that there can be at most. Where a model may write more than the
    reader in its place, that is more than was counted.
    """
    documents = {shard: _count(project / f"results/documents/{shard}.parquet") for shard in registered["shards"]}
    found = []
    for row in rows:
        requests, most = row.get("requests", 0), 0
        if row["keys"] and row["keys"][-1] in documents:
            most = documents[row["keys"][-1]] * registered["most_requests"].get(row["rule"], 0) - row["known"]
            most *= math.ceil(requests / row["calls"]) if requests else 1  # some servers give one sample a request
        most = max(most, requests)
        times = most / requests if requests else 1
        found.append(row | {"requests_at_most": most, "pico_at_most": round(row.get("pico_at_most", 0) * times)})
    return found


def switch_lines(rows: list[dict], registered: dict) -> list[str]:
    """What each setting that saves calls costs as it is, and what the ways of asking save."""
    total = sum(row.get("pico", 0) for row in rows)
    lines = []
    for setting, about in registered["switches"].items():
        own = [row for row in rows if _is_about(row, about)]
        pico = sum(row.get("parts", {}).get(about["part"], 0) if "part" in about else row.get("pico", 0) for row in own)
        lines.append(f"  {setting}: ${pico / 1e12:,.4f}, {_share(pico, total)} of all")
    saved = Counter()
    for row in rows:
        saved.update({name: row.get(name, 0) for name in ("pico_online", "pico_singly", "pico_uncached")})
    ways = {"models.{name}.mode batch": "pico_online", "all votes in one request": "pico_singly"}
    ways |= {"prompts that begin alike, from the provider's cache": "pico_uncached"}
    for way, name in ways.items():
        lines.append(f"  saved by {way}: ${(saved[name] - total) / 1e12:,.4f}")
    return lines


def _is_about(row, about):
    if row["rule"] != about["rule"] or row["model"] not in about.get("models", [row["model"]]):
        return False
    return "keys" not in about or bool(set(about["keys"]) & set(row["keys"]))


def _share(part, total):
    return f"{part / total:.0%}" if total else "0%"


def _count(path):
    return pq.read_metadata(path).num_rows if path.exists() else 0

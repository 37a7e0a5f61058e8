"""Count what a document and a passage cost: jobs, requests, tokens, bytes, memory. docs/scale.md multiplies that.

The scope study of the demo runs in a clone, with rules in the place of all models, one responder and one prompt. What
it says sets the tokens: its answers are short. Gathers run over invented studies, part `gathers` over two small ones,
part `million` over a million documents; part `plain` compares their numbers with those of other libraries. Time is
that of a processor, so this may run beside other work.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml

from clusters.plans import collection, counted, planned
from common.clone import cloned, timed
from common.figures import count, parts
from ragassay.models.store import Store, key
from scaling import jobs, plain

ONE = {"scope": {"responders": ["careful"], "responding": {"prompts": ["basic"]}}}
VECTORS, NUMBERS = 50_000, 384  # numbers of a vector of the encoder that is the default


def study(clone: Path):
    (clone / "one.yaml").write_text(yaml.safe_dump(ONE))
    timed(clone, sys.executable, "-m", "snakemake", "scope", "--configfile", "one.yaml", "--cores", "2")
    documents = sum(pq.read_metadata(file).num_rows for file in clone.glob("results/documents/*.parquet"))
    shards = len(list(clone.glob("results/documents/*.parquet")))
    count("documents", documents, f"in_{shards}_shards")
    calls = [pq.read_table(file) for file in clone.glob("results/calls/**/*.parquet")]
    for name in ("requests", "prompt_tokens", "completion_tokens"):
        count(f"{name}_per_document", sum(pc.sum(table[name]).as_py() or 0 for table in calls) / documents, name)
    for name, what in {"ledger": "ledger/**/*.jsonl", "table": "results/**/*.parquet"}.items():
        sizes = [file.stat().st_size for file in clone.glob(what) if "ledger/models" not in str(file)]
        count(f"{name}_bytes_per_document", sum(sizes) / documents, "bytes")
        count(f"{name}_files_per_shard", len(sizes) / shards, "files")


def plan(clone: Path):
    """Jobs and submissions of a shard."""
    collection(clone)
    shards = (clone / "data/shards.tsv").read_text().splitlines()
    plans = {}
    for number in (10, 50):
        (clone / "data/shards.tsv").write_text("\n".join(shards[: number + 1]) + "\n")
        how = ("scope", "--profile", "profiles/slurm", "--configfile", "mine.yaml")
        plans[number] = counted(planned(clone, *how, runs=1)[-1])
    jobs, submissions = (more - less for less, more in zip(plans[10], plans[50], strict=True))
    count("jobs_per_shard", jobs / 40, "jobs")
    count("submissions_per_shard", submissions / 40, "submissions")


def store(folder: Path):
    vectors = np.random.default_rng(0).standard_normal((VECTORS, NUMBERS)).astype(np.float16)
    Store(folder).add([key(str(number)) for number in range(VECTORS)], vectors)
    count("vector_bytes", sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / VECTORS, "bytes")


def demo():
    with cloned() as clone:
        study(clone)
        plan(clone)
        store(clone.parent / "vectors")


if __name__ == "__main__":
    parts({"demo": demo, "gathers": jobs.growth, "million": jobs.million, "plain": plain.plain}, jobs.TASKS)

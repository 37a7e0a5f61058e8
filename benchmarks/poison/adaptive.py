"""Attackers who know the defence, on published questions that neither the attack nor `echo` was designed on: for each
defence at its own threshold, what it misses of texts that were chosen against it among ten attacks.
"""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from common.clone import DATA, cloned, snakemake
from common.figures import figure
from poison.held_out import looked_at, wrong

DEFENCES = ("echo", "raguard", "similarity", "question_share")
OTHERS = {"graft": 0.35, "invisible": 0.05}  # that know the corpus, or what encoders drop -> what echo may miss


def adaptive() -> None:
    with cloned() as clone:
        folder = clone / "data/published"
        folder.mkdir(parents=True)
        texts = pq.read_table(DATA / "wikipedia_passages/nq.parquet", columns=["text"])["text"].to_pylist()
        pq.write_table(pa.table({"text": [text for text in texts if text.strip()]}), folder / "nq_passages.parquet")
        pq.write_table(pq.read_table(DATA / "poison_targets/poisonedrag_nq.parquet"), folder / "nq_targets.parquet")
        attacks = [*OTHERS, *(f"knows_{defence}" for defence in DEFENCES)]
        names = [f"results/filtered/nq/minilm/{attack}.parquet" for attack in attacks]
        snakemake(clone, *names, "--configfile", "benchmarks/poison/adaptive.yaml")
        measured(clone / "results")


def measured(results: Path) -> None:
    """Upper ends of intervals, beside the shares."""
    cells = looked_at(results)
    for defence in DEFENCES:
        missed = wrong(cells["nq", "minilm", f"knows_{defence}", defence, None])
        figure(f"knows_{defence}_missed_by_it_at_most", missed["high"], "share", "<= 0.35", missed["value"])
    for attack, most in OTHERS.items():
        missed = wrong(cells["nq", "minilm", attack, "echo", None])
        figure(f"{attack}_missed_by_echo_at_most", missed["high"], "share", f"<= {most}", missed["value"])

"""Attackers who know the defence, on published questions that neither the attack nor `echo` was designed on: for each
defence at its own threshold, what it misses of texts that were chosen against it among ten attacks; and what `echo`
misses of two that know the corpus, or what encoders drop.
"""

from pathlib import Path

from common.clone import cloned, snakemake, with_published_data
from common.figures import figure
from poison.held_out import looked_at, wrong

DATASETS = ("nq", "realtimeqa")
DEFENCES = ("echo", "raguard", "similarity", "question_share")
OTHERS = {"graft": 0.35, "invisible": 0.05}  # attack -> what `echo` may miss on nq
FILES = ("config/published.yaml", "benchmarks/poison/adaptive.yaml")


def adaptive() -> None:
    with cloned() as clone:
        with_published_data(clone)
        attacks = [*OTHERS, *(f"knows_{defence}" for defence in DEFENCES)]
        names = [f"results/filtered/{dataset}/minilm/{attack}.parquet" for dataset in DATASETS for attack in attacks]
        snakemake(clone, *names, "--configfile", *FILES)
        measured(clone / "results")


def measured(results: Path) -> None:
    """Upper ends of intervals, beside the shares."""
    cells = looked_at(results)

    def missed(name, dataset, attack, defence, most):
        share = wrong(cells[dataset, "minilm", attack, defence, None])
        figure(f"{name}_at_most", share["high"], "share", f"<= {most}", share["value"])

    for dataset in DATASETS:
        for defence in DEFENCES:
            name = f"{dataset}_{defence}_missed_by_an_attacker_who_knows_it"
            missed(name, dataset, f"knows_{defence}", defence, 0.35)
    for attack, most in OTHERS.items():
        missed(f"nq_{attack}_missed_by_echo", "nq", attack, "echo", most)
